// What may be wrong in a text: one small change each, found in the parser's tree.
import { parseSync } from 'rolldown/utils';

/**
 * Every mutation of a TypeScript text, as `{ kind, start, end, to }`: the characters from `start` to `end` become `to`. None
 * is in a type: a type has no behaviour.
 */
export function mutationsIn(path, text) {
  const found = [];
  const add = (kind, { start, end }, to) => found.push({ kind, start, end, to });
  const of = ({ start, end }) => text.slice(start, end);
  walk(treeOf(path, text), (node) => {
    for (const rule of RULES[node.type] ?? []) rule(node, add, of);
  });
  return found;
}

/** The tree of a text; a text that cannot be parsed is a fault of this script, not a mutation. */
export function treeOf(path, text) {
  const { program, errors } = parseSync(path, text);
  if (errors.length > 0) throw new Error(`${path}: ${errors[0].message}`);
  return program;
}

/** Visits every node that is there at run time. */
export function walk(node, visit) {
  if (isType(node)) return;
  visit(node);
  for (const [name, value] of Object.entries(node)) {
    // The key of a property is a name even where it is written as a number.
    if (name === 'key' && !node.computed) continue;
    for (const child of Array.isArray(value) ? value : [value]) if (typeof child?.type === 'string') walk(child, visit);
  }
}

/** `x as T` and the like have an expression inside; all else that TypeScript adds is gone at run time. */
const isType = ({ type, expression }) => type.startsWith('TS') && (expression === undefined || type === 'TSTypeQuery');

const RULES = {
  BinaryExpression: [comparison],
  LogicalExpression: [andOr],
  ExpressionStatement: [callRemoved],
  AwaitExpression: [awaitRemoved],
  Literal: [number],
  IfStatement: [negated],
  ConditionalExpression: [negated],
  FunctionDeclaration: [earlyReturn],
  FunctionExpression: [earlyReturn],
  ArrowFunctionExpression: [earlyReturn],
  ArrayExpression: [elementRemoved],
};

const FLIPPED = {
  '===': ['!=='],
  '!==': ['==='],
  '<': ['<=', '>='],
  '<=': ['<', '>'],
  '>': ['>=', '<='],
  '>=': ['>', '<'],
};

function comparison({ left, right, operator }, add, of) {
  for (const other of FLIPPED[operator] ?? []) {
    add('comparison flipped', { start: left.start, end: right.end }, `${of(left)} ${other} ${of(right)}`);
  }
}

function andOr({ left, right, operator }, add, of) {
  if (operator === '??') return;
  const other = operator === '&&' ? '||' : '&&';
  // In brackets, that the other operator binds the same operands.
  add('&& and || swapped', { start: left.start, end: right.end }, `(${of(left)} ${other} ${of(right)})`);
}

function callRemoved(node, add) {
  const call = node.expression.type === 'AwaitExpression' ? node.expression.argument : node.expression;
  if (call.type === 'CallExpression') add('call removed', node, ';');
}

function awaitRemoved(node, add, of) {
  add('await removed', node, of(node.argument));
}

function number({ value, raw, start, end }, add) {
  if (typeof value !== 'number') return;
  add('number changed', { start, end }, `${value + 1}`);
  if (value !== 0) add('number changed', { start, end }, raw.startsWith('0x') ? `(${raw} * 10)` : `${value * 10}`);
}

function negated({ test }, add, of) {
  if (test.type === 'BinaryExpression' && test.operator in FLIPPED) return;
  const isNegation = test.type === 'UnaryExpression' && test.operator === '!';
  add('condition negated', test, isNegation ? of(test.argument) : `!(${of(test)})`);
}

/** Where a value is returned the compiler would notice. */
function earlyReturn({ body }, add) {
  if (body?.type !== 'BlockStatement' || body.body.length === 0 || returnsValue(body)) return;
  add('early return', { start: body.start, end: body.start + 1 }, '{ return;');
}

function returnsValue(node) {
  if (node.type === 'ReturnStatement') return node.argument !== null;
  if (/Function/.test(node.type)) return false;
  return Object.values(node).some((value) =>
    [value].flat().some((child) => typeof child?.type === 'string' && returnsValue(child)),
  );
}

function elementRemoved({ elements }, add) {
  if (elements.length < 2 || elements.includes(null)) return;
  elements.forEach((element, at) => {
    const next = elements[at + 1];
    const previous = elements[at - 1];
    const gone = next ? { start: element.start, end: next.start } : { start: previous.end, end: element.end };
    add('element removed', gone, '');
  });
}
