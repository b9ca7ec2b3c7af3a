import { expect, test } from 'vitest';
import { Home, srq } from './program.ts';

test('each command that prints a document has a schema under its own name', async () => {
  const home = await Home.open();
  try {
    const { stdout } = await srq(['schema', '--json'], { home });
    const names: string[] = JSON.parse(stdout).schemas.map(({ command }: { command: string }) => command);
    expect(names).toEqual(expect.arrayContaining(['queue', 'queue purge', 'help', 'help errors']));
    for (const name of names) {
      const ended = await srq(['schema', ...name.split(' ')], { home });
      expect([name, ended.code, ended.stderr]).toEqual([name, 0, '']);
      expect(Object.keys(JSON.parse(ended.stdout))).toContain('$schema');
    }
  } finally {
    await home.close();
  }
});

test.skipIf(process.platform === 'win32')('a folder in which no other can be made ends a command', async () => {
  const home = await Home.open({ env: { SRQ_STATE_DIR: '/dev/null/srq' } });
  try {
    const { code, stderr } = await srq(['create', '--country', 'PT', '--phone', '+351912345678'], { home });
    expect([code, stderr]).toEqual([9, expect.stringContaining('/dev/null/srq')]);
  } finally {
    await home.close();
  }
});
