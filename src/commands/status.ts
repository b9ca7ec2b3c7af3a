import type { Context } from '../cli/context.ts';
import { aligned, printable } from '../report/output.ts';
import { contractName, secretAddressText } from '../report/terminal/contract-text.ts';
import { encodingOf, tokenAddress } from '../request/contract/contract.ts';
import type { DocumentOf } from '../request/documents/types.ts';
import { fileTokenCache } from '../settings/account-files.ts';
import type { Sourced } from '../settings/settings.ts';

/** Shows the settings in force, the destination, and where each setting comes from. It never shows a secret. */
export async function status(context: Context): Promise<number> {
  const settings = await context.settings();
  const paths = await context.paths();
  const { baseUrl, clientId, profile, secret, live } = settings;
  const contract = await context.contract();
  const destination = { baseUrl: baseUrl?.value ?? '', clientId: clientId?.value ?? '' };
  const { token: file } = await context.stateFiles();
  const cached = fileTokenCache(file, destination, null, await context.trust()).read();
  const expired = cached?.expiresAtMs != null && cached.expiresAtMs <= context.clock.nowMs();
  const token: DocumentOf<'status'>['token'] = {
    state: cached === null ? 'none' : expired ? 'expired' : 'valid',
    expiresAt: cached?.expiresAtMs == null ? null : new Date(cached.expiresAtMs).toISOString(),
  };
  const hasSecret = secret.state !== 'missing';
  const document: DocumentOf<'status'> = {
    profile: profile.value,
    baseUrl: baseUrl?.value ?? null,
    clientId: clientId?.value ?? null,
    secret: secret.state,
    token,
    paths,
    kind: live ? 'live' : 'test',
    encoding: encodingOf(contract.create),
    contract: contract.source,
    tokenAddress: baseUrl && tokenAddress(contract, baseUrl.value),
    sources: { profile: profile.source, baseUrl: baseUrl?.source ?? null, clientId: clientId?.source ?? null },
  };
  await context.reporter.result('status', document, (paint) =>
    [
      ...aligned(
        [
          ['profile', shown(profile, paint.dim)],
          ['base URL', baseUrl ? shown(baseUrl, paint.dim) : paint.yellow('missing')],
          ['client id', clientId ? shown(clientId, paint.dim) : paint.yellow('missing')],
          ['secret', hasSecret ? secret.state : paint.yellow('missing')],
          ['service', baseUrl ? `${document.kind}, ${document.encoding}` : '-'],
          [
            'token',
            token.expiresAt === null
              ? token.state
              : `${token.state} ${token.state === 'expired' ? 'since' : 'until'} ${token.expiresAt}`,
          ],
          ['contract', contractName(contract)],
          ['settings', printable(paths.config)],
          ['state', printable(paths.state)],
          ['log', printable(paths.log)],
        ],
        '',
      ),
      secretAddressText(contract, baseUrl?.value ?? null),
      ...(baseUrl && clientId && hasSecret ? [] : [context.withProfile('Log in with: srq login')]),
    ].join('\n'),
  );
  return 0;
}

function shown({ value, source }: Sourced<string>, dim: (text: string) => string): string {
  const text = printable(value);
  return source === 'profile' ? text : `${text} ${dim(`(${source})`)}`;
}
