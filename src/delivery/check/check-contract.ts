import { describedCall, type Given, leftOutOf, placed, treeOf } from '../../request/contract/bindings.ts';
import { mustBeOneOf } from '../../request/contract/codes.ts';
import { type Call, type Contract, judgeOf, type Misfit } from '../../request/contract/contract.ts';
import type { RequestOperationName } from '../../request/contract/operations.ts';
import { ONLY_ELEMENT, type Place, readPlace } from '../../request/contract/place.ts';
import { placeFacts } from '../../request/contract/places.ts';
import { AUDIO_PARAMETER } from '../../request/contract/wire.ts';
import { isField } from '../../request/lead/fields.ts';
import { isPart } from '../../request/lead/parts.ts';
import { memoize } from '../../request/small.ts';
import { finding, type Problem } from '../../request/words/finding.ts';

/** The contents of a request that are checked against the contract. */
export interface GivenTexts {
  /** Texts by field name, as srq names the fields. */
  readonly texts: TextsByField;
  readonly hasRecording: boolean;
  /** Fields that srq has filled itself. If one is optional and not allowed, it is left out. */
  readonly filled: ReadonlySet<string>;
}

type TextsByField = Readonly<Record<string, string>>;

/**
 * Tells whether the description says what a request must hold: whether it refuses an empty one. A collection of examples
 * cannot.
 */
export const saysRequired = memoize((call: Call): boolean => {
  const judge = judgeOf(call);
  return judge !== null && judge(treeOf(call, placed(call, NOTHING))).length > 0;
});

const NOTHING: Given = { text: () => null, recording: null, names: [], isSaid: () => false };

/** Checks a request against the schema of an operation. */
export function contractFindings(contract: Contract, operation: RequestOperationName, given: GivenTexts): Problem[] {
  const call = contract[operation];
  if (call === null) return [];
  const findings = callFindings(call, given, leftOutOf(contract, operation));
  // Only create must have a place for every field.
  return operation === 'create' ? [...findings, ...leftOutFindings(call, given)] : findings;
}

type LeavesOut = ReturnType<typeof leftOutOf>;

/** What stands for a recording, which is not read for the checks. */
const RECORDING = 'AAAA';

function callFindings(call: Call, { texts, hasRecording, filled }: GivenTexts, leavesOut: LeavesOut): Problem[] {
  const judge = judgeOf(call);
  if (judge === null) return [];
  const isRecorded = hasRecording || texts[AUDIO_PARAMETER] !== undefined;
  const sent = placed<never>(
    call,
    {
      // Only own properties count, because a contract may have a place named `constructor`.
      text: (field) => {
        if (Object.hasOwn(texts, field)) return texts[field] ?? null;
        return isRecorded && /^audio_(?:type|name)$/.test(field) ? RECORDING : null;
      },
      recording: isRecorded ? RECORDING : null,
      names: isRecorded ? Object.keys(texts).filter((name) => name !== AUDIO_PARAMETER) : Object.keys(texts),
      isSaid: (field) => !filled.has(field),
    },
    leavesOut,
  );
  return judge(treeOf(call, sent)).flatMap((misfit) => findingOf(call, misfit, texts));
}

function findingOf(call: Call, { place, code, words, others = [] }: Misfit, texts: TextsByField): Problem[] {
  if (code === 'contract.missing') {
    const or = others.map((each) => `, or ${fieldAt(call, each)}`).join('');
    return missingAt(call, place).map((what) => finding(code, what, { what, or, hint: sourceHint(what) }));
  }
  const field = fieldAt(call, place);
  // The service judges the recording.
  if (/^audio_/.test(field)) return [];
  const codes = placeFacts(call.schema, readPlace(place))?.codes;
  const problem = codes ? mustBeOneOf(codes.map(({ value, label }) => label ?? value)) : words;
  return [finding(code, field, { problem }, texts[field] ?? texts[place] ?? null)];
}

/** Names what is missing: the place, or of an object what the page has for it. */
function missingAt(call: Call, place: Place): string[] {
  const within = describedCall(call).slots.filter((slot) => slot.place.startsWith(`${place}.`) && slot.facts.required);
  return within.length === 0 ? [fieldAt(call, place)] : within.map((slot) => fieldAt(call, slot.place));
}

/** Returns the field that goes to a place, or the name of the place. */
function fieldAt(call: Call, place: Place): string {
  const { slots } = describedCall(call);
  const at = (wanted: string) =>
    slots.find((slot) => slot.field !== null && slot.place.toLowerCase() === wanted)?.field;
  const own = at(place.toLowerCase()) ?? at(`${place}.${ONLY_ELEMENT}`.toLowerCase());
  if (own !== undefined && own !== null) return own;
  const { in: where, path } = readPlace(place);
  return where === 'body' && path.length === 1 ? path[0] || 'body' : place;
}

/** Says how to give a parameter that srq does not know. No column is recognised for it by its name. */
function sourceHint(field: string): string {
  const isKnown = isField(field) || field.startsWith('audio_');
  return isKnown ? '' : ` In a file: --map COLUMN=${field}, or --set '${field}={Column}'.`;
}

/** Finds srq's own fields that the service has no place for. They are left out with a warning, but never a recording. */
function leftOutFindings(call: Call, { texts, hasRecording, filled }: GivenTexts): Problem[] {
  if (call.schema === null) return [];
  const { fields } = describedCall(call);
  const found: Problem[] = [];
  for (const field in texts) {
    if (fields.has(field) || filled.has(field) || field === 'ref' || field === AUDIO_PARAMETER) continue;
    if (isField(field) || isPart(field)) found.push(finding('contract.left-out', field, {}));
  }
  const isRecorded = hasRecording || texts[AUDIO_PARAMETER] !== undefined;
  if (isRecorded && !fields.has('audio_file'))
    found.push(finding('contract.bound', 'audio_file', { problem: 'has no place' }));
  return found;
}
