import { SrqError } from '../model/errors.ts';

/**
 * Throws `SrqError('settings')` where the environment has Node.js check no certificate, in whichever connection. `authority`:
 * how a private certificate authority is named in place of that.
 */
export function requireCertificateCheck(env: NodeJS.ProcessEnv, authority: string): void {
  if (env['NODE_TLS_REJECT_UNAUTHORIZED'] !== '0') return;
  throw new SrqError(
    'settings',
    'NODE_TLS_REJECT_UNAUTHORIZED=0 turns off the check of certificates; srq does not send then.',
    `Unset it. For a private certificate authority, name its file${authority}`,
  );
}
