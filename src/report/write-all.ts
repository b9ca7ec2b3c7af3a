import type { Writable } from 'node:stream';

const WRITABLE_AGAIN = ['drain', 'close', 'error'] as const;

/** Writes a chunk, and waits while the reader is slower than the writer. A reader that has gone away is not an error. */
export async function writeAll(stream: Writable, chunk: string | Uint8Array): Promise<void> {
  if (stream.destroyed || stream.write(chunk)) return;
  await new Promise<void>((resolve) => {
    const go = () => {
      for (const event of WRITABLE_AGAIN) stream.off(event, go);
      resolve();
    };
    for (const event of WRITABLE_AGAIN) stream.on(event, go);
  });
}
