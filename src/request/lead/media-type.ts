/** Names under which each kind of recording is known. The first one is the name that srq uses. */
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

/**
 * Returns all names of a media type or a file extension, as people and services write them. A type that srq does not
 * know has only its own name.
 */
export function namesOfMediaType(text: string): readonly string[] {
  const bare = text.trim().toLowerCase().split(';')[0] ?? '';
  return kindOf.get(bare) ?? [bare];
}

/** Returns the media type of a recording by the extension of its name, or null if that is unknown. */
export function mediaTypeOfName(name: string): string | null {
  const ending = /\.([^./\\]+)$/.exec(name)?.[1]?.toLowerCase() ?? '';
  return kindOf.get(ending)?.[0] ?? null;
}
