import { expect, test } from 'vitest';
import { mediaTypeOfBytes, namesOfMediaType } from '../../src/request/lead/media-type.ts';

test.each([
  ['RIFF\x24\0\0\0WAVEfmt ', 'audio/wav'],
  ['OggS\0\x02', 'audio/ogg'],
  ['fLaC\0\0', 'audio/flac'],
  ['#!AMR\n', 'audio/amr'],
  ['FORM\0\0\0\0AIFF', 'audio/aiff'],
  ['\x1a\x45\xdf\xa3\x01', 'audio/webm'],
  ['\0\0\0\x18ftyp3gp4', 'audio/3gpp'],
  ['\0\0\0\x20ftypM4A ', 'audio/mp4'],
  ['ID3\x04\0', 'audio/mpeg'],
  ['\xff\xfb\x90\x64', 'audio/mpeg'],
  ['\xff\xf1\x50\x80', 'audio/aac'],
  ['RIFF\x24\0\0\0AVI LIST', null],
  ['<!doctype html>', null],
  ['', null],
])('a recording with the first bytes %j is %s', (head, type) => {
  expect(mediaTypeOfBytes(Buffer.from(head, 'latin1'))).toBe(type);
});

test('a media type has many names, with parameters or without', () => {
  expect(namesOfMediaType('Audio/X-WAV; codecs=1')).toContain('wav');
  expect(namesOfMediaType('audio/strange')).toEqual(['audio/strange']);
});
