/*
 * The door to what srq keeps between two runs beside the log: profiles, tokens, what was learned of a service and of columns,
 * and the files that it writes for a person.
 * What has a name here may be moved and put together anew in src without a test that has to follow.
 */

export { writeAll } from '../../src/report/output.ts';
export type { Contract } from '../../src/request/contract/contract.ts';
export { NOTHING_KNOWN } from '../../src/request/contract/known-answers.ts';
export { DOCUMENTED_CONTRACT } from '../../src/request/contract/public-api.ts';
export { Secret } from '../../src/request/words/secret.ts';
export {
  isHeldOpen,
  openNew,
  openOutput,
  requireWritable,
} from '../../src/run/outputs.ts';
export { secretMark } from '../../src/service/token/token.ts';
export { fileTokenCache, learnedFile } from '../../src/settings/account-files.ts';
export { normalBaseUrl } from '../../src/settings/base-url.ts';
export { contractStore } from '../../src/settings/contract-store.ts';
export { mappingStore } from '../../src/settings/mapping-store.ts';
export { ANY_OWNER, ownFile, replaceFileOrThrow } from '../../src/settings/own-file.ts';
export { directories, profileNamed, settingsFiles, stateFiles } from '../../src/settings/paths.ts';
export { profileStore } from '../../src/settings/profile-store.ts';
export {
  requireCertificateCheck,
  resolveSettings,
  runSecretCommand,
} from '../../src/settings/settings.ts';
export { writtenFiles } from '../../src/settings/written-files.ts';
