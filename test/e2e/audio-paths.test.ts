import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished } from 'vitest';
import { test } from '../helpers/desk.ts';
import { documentOf } from '../helpers/run-srq.ts';
import { hasStrace, STRACE } from '../helpers/strace.ts';
import { creates } from '../sandbox/sandbox-client.ts';

const SOUND = Buffer.from('RIFF not really a sound');

test.skipIf(!hasStrace)(
  'recordings are read from the folder of the file alone, whatever a row names (needs strace)',
  async ({ partner, sandbox }) => {
    const elsewhere = mkdtempSync(join(tmpdir(), 'srq-elsewhere-'));
    onTestFinished(() => rmSync(elsewhere, { recursive: true }));
    const secret = join(elsewhere, 'secret.wav');
    writeFileSync(join(partner.folder, 'secret.wav'), SOUND);
    writeFileSync(secret, SOUND);
    mkdirSync(join(partner.work, 'voice'));
    writeFileSync(join(partner.work, 'voice', 'good.wav'), SOUND);
    symlinkSync(secret, join(partner.work, 'link.wav'));
    symlinkSync(elsewhere, join(partner.work, 'up'));
    execFileSync('mkfifo', [join(partner.work, 'pipe.wav')]);
    const tricks = [
      '../secret.wav',
      'voice/../../secret.wav',
      secret,
      `file://${secret}`,
      'link.wav',
      'up/secret.wav',
      'pipe.wav',
      'voice',
      '.',
      '/proc/self/environ',
      '/dev/zero',
      '/etc/hostname',
      '~/secret.wav',
      'secret.wav\0.wav',
      `${'../'.repeat(40)}etc/hostname`,
      'x'.repeat(5000),
    ];
    const rows = ['voice/good.wav', ...tricks].map((path, at) => `PT,Ana ${at},+351912345678,Lisboa,"${path}"`);
    const leads = partner.write('leads.csv', `country,fullname,phone,location,audio_file\n${rows.join('\n')}\n`);
    const trace = join(partner.folder, 'trace');
    const under = [...STRACE, '-e', 'trace=open,openat,openat2', '-o', trace];
    const ended = await partner.start(['bulk', leads, '--rate', 'max', '--json'], { under }).ended;
    expect(documentOf(ended)).toMatchObject({ rows: 1 + tricks.length, created: 1, invalid: tricks.length });
    const sha256 = createHash('sha256').update(SOUND).digest('hex');
    expect(creates(sandbox).map(({ audio }) => audio)).toEqual([{ bytes: SOUND.length, sha256 }]);
    const opened = readFileSync(trace, 'utf8');
    expect(opened).toContain('good.wav');
    expect(opened).not.toMatch(/secret\.wav|pipe\.wav|\/proc\/self\/environ|\/dev\/zero|\/etc\/hostname/);
  },
);
