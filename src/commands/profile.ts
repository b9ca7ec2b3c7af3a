import type { Context } from '../cli/context.ts';
import { profileKind } from '../cli/profiles.ts';
import { columnsOf, printable, tableText } from '../report/output.ts';
import { didYouMean } from '../request/words/did-you-mean.ts';
import { SrqError } from '../request/words/errors.ts';
import type { Profile } from '../settings/profile-store.ts';

/** Lists the stored profiles and marks the one in use. It never shows a secret. */
export async function profileList(context: Context): Promise<number> {
  const stored = Object.entries((await context.profiles()).all());
  const { value: inForce } = await context.profileName();
  const profiles = stored.map(([name, profile]) => entryOf(name, profile, name === inForce));
  await context.reporter.result('profile list', { profiles }, (paint) => {
    if (profiles.length === 0) return 'No profiles are stored. Log in with: srq login';
    const rows = profiles.map(({ name, current, kind, baseUrl, clientId }) => {
      const marked = current ? paint.bold : (text: string) => text;
      return [
        { text: current ? '*' : '' },
        { text: printable(name), paint: marked },
        { text: kind, paint: kind === 'live' ? paint.yellow : paint.green },
        { text: printable(baseUrl) },
        { text: printable(clientId) },
      ];
    });
    return tableText(['', 'name', 'kind', 'base URL', 'client id'], rows, columnsOf(context.process.stdout), paint);
  });
  return 0;
}

/** Makes a stored profile the default. */
export async function profileUse(context: Context, name: string): Promise<number> {
  const profiles = await context.profiles();
  const profile = profiles.get(name);
  if (profile === null) {
    const message = printable(`There is no profile "${name}".${didYouMean(name, Object.keys(profiles.all()))}`);
    throw new SrqError('profile.unknown', message, 'See what there is: srq profile list');
  }
  await profiles.use(name);
  if (context.process.env['SRQ_PROFILE']) {
    context.reporter.warn('SRQ_PROFILE is set: as long as it is, the profile that it names is in force.');
  }
  const { kind, baseUrl, clientId } = entryOf(name, profile, true);
  await context.reporter.result('profile use', { profile: name, kind, baseUrl, clientId }, () =>
    printable(`Profile ${name} is in use: ${baseUrl} as client ${clientId} (${kind}).`),
  );
  return 0;
}

function entryOf(name: string, profile: Profile, current: boolean) {
  const { baseUrl, clientId } = profile;
  return { name, current, baseUrl, clientId, kind: profileKind(profile) };
}
