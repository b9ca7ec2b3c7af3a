import * as z from 'zod/mini';
import {
  type KnownAnswers,
  knownAnswersSchema,
  mergeKnownAnswers,
  NOTHING_KNOWN,
} from '../request/contract/known-answers.ts';
import type { Destination } from '../request/lead/service-request.ts';
import type { CachedToken } from '../request/ports.ts';
import { ANY_OWNER, type OwnFile, ownFile } from './own-file.ts';

const positive = z.number().check(z.positive());
const paceSchema = z.object({ ratePerSecond: positive, concurrency: positive, limited: z.boolean() });

const keptSchema = z.looseObject({ baseUrl: z.string(), clientId: z.string() });

/** Returns what a file holds for a base URL and client id, or null if it is missing, unreadable, or of another account. */
function keptFor(file: OwnFile, { baseUrl, clientId }: Destination): Readonly<Record<string, unknown>> | null {
  const kept = file.json(keptSchema);
  return kept?.baseUrl === baseUrl && kept.clientId === clientId ? kept : null;
}

/**
 * The store of what runs have learned, one per profile. It is trusted only for the base URL and client id with which it
 * was learned, and only if nobody else may have written the file. A missing file counts as no knowledge, and so does a
 * part that cannot be read, such as one of an earlier version. `contract` is the fingerprint of the contract in force.
 */
export function learnedFile(path: string, { baseUrl, clientId }: Destination, contract: string, trust = ANY_OWNER) {
  const file = ownFile(path, trust);

  /**
   * Returns the knowledge about a service that runs collect for the next run: what answers mean, as found with this contract or
   * stated by a person, and at what rate the service may be called.
   */
  function read() {
    const kept = keptFor(file, { baseUrl, clientId });
    const answers = kept?.['contract'] === contract ? knownAnswersSchema.safeParse(kept['answers']).data : null;
    return { answers: answers ?? null, pace: paceSchema.safeParse(kept?.['pace']).data ?? null };
  }

  /**
   * Replaces the given parts and keeps the others. What runs find out they find out again, so it is not waited for on the
   * disk. What a person has said is: without it, an answer that was explained as a refusal may count as a creation.
   */
  function write(changed: { readonly [Part in keyof ReturnType<typeof read>]?: unknown }): void {
    const text = JSON.stringify({ baseUrl, clientId, contract, ...read(), ...changed });
    file.replace(`${text}\n`, text.includes('"by":"person"'));
  }

  /** Adds what a process knows about answers, and returns all that is known. Another command may have added more meanwhile. */
  function add(own: KnownAnswers): KnownAnswers {
    const known = read().answers ?? NOTHING_KNOWN;
    const answers = mergeKnownAnswers(known, own);
    // The file may be about another account, whose knowledge a login that is refused must not replace.
    if (JSON.stringify(answers) !== JSON.stringify(known)) write({ answers });
    return answers;
  }

  return { read, write, add };
}

const tokenSchema = z.object({
  /** The mark of the secret that the token was granted for: a few digits of its hash. */
  secretMark: z.optional(z.string()),
  accessToken: z.string().check(z.minLength(1)),
  obtainedAtMs: z.number(),
  expiresAtMs: z.nullable(z.number()),
});

/**
 * Caches the token in a file of mode 0600, for one base URL, client id and secret. Tokens of any other are not returned.
 * `mark` is the mark of the secret in use, or null if tokens of any secret are returned.
 */
export function fileTokenCache(
  path: string,
  { baseUrl, clientId }: Destination,
  mark: string | null = null,
  trust = ANY_OWNER,
) {
  const file = ownFile(path, trust, 'readers');
  /** The token that was refused last. The file may still hold it, because it could not be removed. */
  let refused: string | null = null;

  function read(): CachedToken | null {
    const kept = tokenSchema.safeParse(keptFor(file, { baseUrl, clientId })).data;
    if (!kept) return null;
    const { secretMark, ...token } = kept;
    return (mark !== null && secretMark !== mark) || token.accessToken === refused ? null : token;
  }

  return {
    read,
    /** Stores the token. If that fails, every command requests a token of its own, which is slower but correct. */
    write(token: CachedToken): void {
      const marked = mark === null ? {} : { secretMark: mark };
      file.replace(`${JSON.stringify({ baseUrl, clientId, ...marked, ...token })}\n`, false);
    },
    /**
     * Removes the token if it is this one, and never returns it again. If it cannot be removed, the next command learns from
     * the service that it is refused.
     */
    forget(accessToken: string): void {
      if (read()?.accessToken === accessToken) file.remove();
      refused = accessToken;
    },
  };
}
