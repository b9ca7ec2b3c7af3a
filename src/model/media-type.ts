/** The names under which one kind of recording goes; the first is the one that srq uses. */
const KINDS: readonly (readonly string[])[] = [
  ['audio/wav', 'audio/x-wav', 'audio/wave', 'audio/vnd.wave', 'wav', 'wave'],
  ['audio/mpeg', 'audio/mp3', 'audio/x-mp3', 'audio/x-mpeg', 'mp3', 'mpeg'],
  ['audio/mp4', 'audio/m4a', 'audio/x-m4a', 'video/mp4', 'm4a', 'mp4'],
  ['audio/ogg', 'application/ogg', 'audio/opus', 'ogg', 'oga', 'opus'],
  ['audio/webm', 'video/webm', 'webm', 'weba'],
  ['audio/flac', 'audio/x-flac', 'flac'],
  ['audio/aac', 'audio/x-aac', 'audio/aacp', 'aac'],
  ['audio/amr', 'audio/3gpp-amr', 'amr'],
  ['audio/3gpp', 'video/3gpp', '3gp', '3gpp'],
  ['audio/aiff', 'audio/x-aiff', 'aiff', 'aif'],
];

const kindOf = new Map(KINDS.flatMap((names) => names.map((name) => [name, names] as const)));

/** All names of a media type or of a file's ending, as people and services write them; only itself if srq does not know it. */
export function namesOfMediaType(text: string): readonly string[] {
  const bare = text.trim().toLowerCase().split(';')[0] ?? '';
  return kindOf.get(bare) ?? [bare];
}

/** The media type of a recording by its name's ending; null if that says nothing. */
export function mediaTypeOfName(name: string): string | null {
  const ending = /\.([^./\\]+)$/.exec(name)?.[1]?.toLowerCase() ?? '';
  return kindOf.get(ending)?.[0] ?? null;
}

/** What the first bytes of a recording look like, as Latin-1. */
const SIGNATURES: readonly (readonly [RegExp, string])[] = [
  [/^RIFF[\s\S]{4}WAVE/, 'audio/wav'],
  [/^OggS/, 'audio/ogg'],
  [/^fLaC/, 'audio/flac'],
  [/^#!AMR/, 'audio/amr'],
  [/^FORM[\s\S]{4}AIF[FC]/, 'audio/aiff'],
  [/^\x1a\x45\xdf\xa3/, 'audio/webm'],
  [/^[\s\S]{4}ftyp3g/, 'audio/3gpp'],
  [/^[\s\S]{4}ftyp/, 'audio/mp4'],
  [/^ID3|^\xff[\xe2\xe3\xf2\xf3\xfa\xfb]/, 'audio/mpeg'],
  [/^\xff[\xf0\xf1\xf8\xf9]/, 'audio/aac'],
];

/** So many bytes tell a recording's kind. */
export const SIGNATURE_BYTES = 12;

/** The media type of a recording by its first bytes; null if they are of none that srq knows. */
export function mediaTypeOfBytes(head: Uint8Array): string | null {
  const text = String.fromCharCode(...head.subarray(0, SIGNATURE_BYTES));
  return SIGNATURES.find(([pattern]) => pattern.test(text))?.[1] ?? null;
}
