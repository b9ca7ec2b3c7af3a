import fc from 'fast-check';

/**
 * fast-check for every property of the suite: `npm test` tries the same cases each time, so that a newcomer's run does
 * not fail by a case that nobody has seen. `npm run soak` goes on with new seeds (SRQ_TEST_SEED).
 */
fc.configureGlobal({ seed: Number(process.env['SRQ_TEST_SEED'] ?? 20_261_121) });

export default fc;
