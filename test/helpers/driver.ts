import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { expect } from 'vitest';
import type { DocumentOf } from '../../src/request/documents/types.ts';
import type { Desk } from './desk.ts';

type CommandMap = DocumentOf<'help'>;
type Option = CommandMap['globalOptions'][number];
type Reason = DocumentOf<'help errors'>['reasons'][number];

/** The values of options by their names: `true` for a flag, several for one that can be repeated. */
type Options = Readonly<Record<string, string | number | true | readonly string[]>>;

/** What a command has printed, as its schema says, and how it ended. */
interface Answer {
  readonly code: number;
  /** What it printed first. */
  readonly document: Record<string, unknown>;
  /** What it printed, where that is a document a line. */
  readonly lines: readonly Record<string, unknown>[];
  /** Why it failed or ended early, as `srq help errors` has it; null if it did not. */
  readonly reason: Reason | null;
}

type Printed = Record<string, unknown> & { readonly error?: { readonly reason: string } };

/**
 * A program that knows of srq nothing but `srq help --json`, `srq help errors --json` and `srq schema --json`. It calls no
 * command and gives no option that these do not list, and reads no text: documents as their schemas say, and codes.
 */
export class Driver {
  readonly #desk: Desk;
  readonly #map: CommandMap;
  readonly #reasons: ReadonlyMap<string, Reason>;
  readonly #findings: ReadonlySet<string>;
  readonly #schemas: ReadonlyMap<string, ValidateFunction>;

  private constructor(desk: Desk, map: CommandMap, errors: DocumentOf<'help errors'>, schemas: DocumentOf<'schema'>) {
    const ajv = new Ajv2020({ allowUnionTypes: true });
    this.#desk = desk;
    this.#map = map;
    this.#reasons = new Map(errors.reasons.map((each) => [each.reason, each]));
    this.#findings = new Set(errors.findings.map(({ code }) => code));
    this.#schemas = new Map(schemas.schemas.map(({ command, output }) => [command, ajv.compile(output)]));
  }

  static async open(desk: Desk): Promise<Driver> {
    const printed = async (...words: string[]) => JSON.parse((await desk.call(...words, '--json')).stdout);
    return new Driver(desk, await printed('help'), await printed('help', 'errors'), await printed('schema'));
  }

  /** The code of a finding or an error that there is: what a program decides by must be listed. */
  known(code: string): string {
    if (!this.#reasons.has(code) && !this.#findings.has(code)) throw new Error(`No document lists the code ${code}.`);
    return code;
  }

  /** What the documents say of an error. */
  remedyOf(code: string | null | undefined): Reason {
    const reason = this.#reasons.get(code ?? '');
    if (!reason) throw new Error(`No document lists the error ${code}.`);
    return reason;
  }

  /** Runs a command. Options are given as the map says: by their type, with their choices. */
  async call(name: string, args: readonly string[], options: Options, stdin = ''): Promise<Answer> {
    const command = this.#map.commands.find((each) => each.name === name);
    if (!command) throw new Error(`There is no command ${name}.`);
    const last = command.arguments.at(-1);
    if (args.length > command.arguments.length && last?.isRepeatable !== true) throw new Error(`${name} takes less.`);
    const known = [...command.options, ...this.#map.globalOptions];
    const flags = Object.entries({ ...options, '--json': true as const }).flatMap(([flag, value]) => {
      const option = known.find((each) => each.name === flag);
      if (!option) throw new Error(`${name} has no option ${flag}.`);
      return wordsOf(option, value);
    });
    const words = [...name.split(' '), ...args, ...flags];
    const { code, stdout } = await this.#desk.pipe(stdin, ...words);
    const isValid = this.#schemas.get(name);
    const [document = {}, ...more] = stdout
      .trimEnd()
      .split('\n')
      .map((line): Printed => {
        const printed: Printed = JSON.parse(line);
        if (!isValid?.(printed)) throw new Error(`${name}: ${JSON.stringify(isValid?.errors)}`);
        return printed;
      });
    const reason = document.error === undefined ? null : this.remedyOf(document.error.reason);
    if (reason !== null) expect(reason.exitCode).toBe(code);
    return { code: code ?? -1, document, lines: [document, ...more], reason };
  }
}

function wordsOf({ name, type, choices, isRepeatable, isValueOptional }: Option, value: Options[string]): string[] {
  if (value === true) {
    if (type !== 'flag' && !isValueOptional) throw new Error(`${name} needs a value.`);
    return [name];
  }
  const values = typeof value === 'object' ? value : [String(value)];
  if (type === 'flag' || (values.length > 1 && !isRepeatable)) throw new Error(`${name} takes no such value.`);
  if (type === 'number' && values.some((each) => Number.isNaN(Number(each)))) throw new Error(`${name} is a number.`);
  if (choices && !values.every((each) => choices.includes(each))) throw new Error(`${name} has no such choice.`);
  return values.flatMap((each) => [name, each]);
}
