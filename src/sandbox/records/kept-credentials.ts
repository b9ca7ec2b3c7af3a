import { readFileSync, writeFileSync } from 'node:fs';
import { z } from 'zod';
import { SrqError, systemCode } from '../../request/errors.ts';
import type { PartnerCredentials } from '../service/service-interface.ts';

const SCHEMA = z.object({ clientId: z.string().min(1), clientSecret: z.string().min(1) });

/**
 * Returns the credentials that are kept beside a store, so that a profile still works at the next start, or keeps these.
 * They open nothing but a sandbox. Throws `SrqError('usage')` if the file cannot be used.
 */
export function keptCredentials(storeFile: string, fresh: PartnerCredentials): PartnerCredentials {
  const path = `${storeFile}.credentials`;
  try {
    return SCHEMA.parse(JSON.parse(readFileSync(path, 'utf8')));
  } catch (error) {
    if (systemCode(error) !== 'ENOENT') throw unusable(path, error);
  }
  try {
    writeFileSync(path, `${JSON.stringify(fresh)}\n`, { mode: 0o600, flag: 'wx' });
  } catch (error) {
    throw unusable(path, error);
  }
  return fresh;
}

function unusable(path: string, error: unknown): SrqError {
  const why = systemCode(error) || 'it holds no credentials';
  return new SrqError('usage', `The credentials ${path} cannot be used (${why}).`, `Remove it: rm ${path}`, error);
}
