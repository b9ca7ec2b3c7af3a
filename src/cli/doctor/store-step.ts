import type { Context } from '../context.ts';
import type { Examination, Found } from './examination.ts';

/** Whether the store in PostgreSQL can be reached and used. */
export async function takeStoreStep(context: Context, examination: Examination): Promise<void> {
  await examination.take('store', async (): Promise<Found<null>> => {
    const store = await context.postgresStore();
    const { server, role, isBehind, danger } = await store.examine();
    const message = `${store.name} as ${role}: ${server}.`;
    if (danger !== null) {
      const hint = 'Turn both on in postgresql.conf; a request may else be sent twice after a power cut.';
      return { result: 'warn', message: `${message} ${danger}`, hint, value: null };
    }
    if (!isBehind) return { result: 'ok', message, value: null };
    const hint = 'The next command that sends does that, if this role may. By hand: srq store migrate';
    return {
      result: 'warn',
      message: `${message} Its tables are still to be made or brought up to date.`,
      hint,
      value: null,
    };
  });
}
