import * as z from 'zod/mini';
import {
  type KnownAnswers,
  knownAnswersSchema,
  mergeKnownAnswers,
  NOTHING_KNOWN,
} from '../request/contract/known-answers.ts';
import type { Destination } from '../request/lead/service-request.ts';
import type { CachedToken, TokenCache } from '../request/ports.ts';
import { ANY_OWNER, OwnFile } from './own-file.ts';

const positive = z.number().check(z.positive());
const paceSchema = z.object({ ratePerSecond: positive, concurrency: positive, limited: z.boolean() });
/**
 * The knowledge about a service that runs collect for the next run: what answers mean, and at what rate the service may be
 * called.
 */
export interface Learned {
  /** The meaning of answers, as found with this contract or stated by a person. */
  readonly answers: KnownAnswers | null;
  readonly pace: z.infer<typeof paceSchema> | null;
}

const keptSchema = z.looseObject({ baseUrl: z.string(), clientId: z.string() });

/** Returns what a file holds for a base URL and client id, or null if it is missing, unreadable, or of another account. */
function keptFor(file: OwnFile, { baseUrl, clientId }: Destination): Readonly<Record<string, unknown>> | null {
  const kept = file.json(keptSchema);
  return kept?.baseUrl === baseUrl && kept.clientId === clientId ? kept : null;
}

/**
 * The store of what runs have learned, one per profile. It is trusted only for the base URL and client id with which it
 * was learned, and only if nobody else may have written the file. A missing file counts as no knowledge, and so does a
 * part that cannot be read, such as one of an earlier version.
 */
export class LearnedFile {
  readonly #file: OwnFile;
  readonly #destination: Destination;
  readonly #contract: string;

  /** `contract` is the fingerprint of the contract in force. */
  constructor(path: string, destination: Destination, contract: string, trust = ANY_OWNER) {
    this.#file = new OwnFile(path, trust);
    this.#destination = destination;
    this.#contract = contract;
  }

  read(): Learned {
    const kept = keptFor(this.#file, this.#destination);
    const answers = kept?.['contract'] === this.#contract ? knownAnswersSchema.safeParse(kept['answers']).data : null;
    return { answers: answers ?? null, pace: paceSchema.safeParse(kept?.['pace']).data ?? null };
  }

  /**
   * Replaces the given parts and keeps the others. What runs find out they find out again, so it is not waited for on the
   * disk. What a person has said is: without it, an answer that was explained as a refusal may count as a creation.
   */
  write(changed: { readonly [Part in keyof Learned]?: unknown }): void {
    const { baseUrl, clientId } = this.#destination;
    const text = JSON.stringify({ baseUrl, clientId, contract: this.#contract, ...this.read(), ...changed });
    this.#file.replace(`${text}\n`, text.includes('"by":"person"'));
  }

  /** Adds what a process knows about answers, and returns all that is known. Another command may have added more meanwhile. */
  add(own: KnownAnswers): KnownAnswers {
    const known = this.read().answers ?? NOTHING_KNOWN;
    const answers = mergeKnownAnswers(known, own);
    // The file may be about another account, whose knowledge a login that is refused must not replace.
    if (JSON.stringify(answers) !== JSON.stringify(known)) this.write({ answers });
    return answers;
  }
}

const tokenSchema = z.object({
  /** The mark of the secret that the token was granted for: a few digits of its hash. */
  secretMark: z.optional(z.string()),
  accessToken: z.string().check(z.minLength(1)),
  obtainedAtMs: z.number(),
  expiresAtMs: z.nullable(z.number()),
});

/**
 * Caches the token in a file of mode 0600, for one base URL, client id and secret. Tokens of any other are not
 * returned.
 */
export class FileTokenCache implements TokenCache {
  readonly #file: OwnFile;
  readonly #destination: Destination;
  readonly #mark: string | null;
  /** The token that was refused last. The file may still hold it, because it could not be removed. */
  #refused: string | null = null;

  /** `mark` is the mark of the secret in use, or null if tokens of any secret are returned. */
  constructor(path: string, destination: Destination, mark: string | null = null, trust = ANY_OWNER) {
    this.#file = new OwnFile(path, trust, 'readers');
    this.#destination = destination;
    this.#mark = mark;
  }

  read(): CachedToken | null {
    const kept = tokenSchema.safeParse(keptFor(this.#file, this.#destination)).data;
    if (!kept) return null;
    const { secretMark: mark, ...token } = kept;
    return (this.#mark !== null && mark !== this.#mark) || token.accessToken === this.#refused ? null : token;
  }

  /** Stores the token. If that fails, every command requests a token of its own, which is slower but correct. */
  write(token: CachedToken): void {
    const { baseUrl, clientId } = this.#destination;
    const mark = this.#mark === null ? {} : { secretMark: this.#mark };
    this.#file.replace(`${JSON.stringify({ baseUrl, clientId, ...mark, ...token })}\n`, false);
  }

  /**
   * Removes the token if it is this one, and never returns it again. If it cannot be removed, the next command learns from
   * the service that it is refused.
   */
  forget(accessToken: string): void {
    if (this.read()?.accessToken === accessToken) this.#file.remove();
    this.#refused = accessToken;
  }
}
