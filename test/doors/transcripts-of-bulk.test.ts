import { beforeAll, test } from 'vitest';
import { loadAll } from './program.ts';
import { expectAsWritten, isOfBulk, transcripts } from './transcripts.ts';

beforeAll(loadAll);

test.for(transcripts().alone.filter(isOfBulk))('%s', { timeout: 60_000 }, (name) => expectAsWritten(name, null));
