import { expect, test } from 'vitest';
import { mediaTypeOfBytes, mediaTypeOfName, namesOfMediaType } from '../../src/request/media-type.ts';

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
])('the first bytes %j are %s', (head, type) => {
  expect(mediaTypeOfBytes(Buffer.from(head, 'latin1'))).toBe(type);
});

test.each([
  ...'wav wave'.split(' ').map((ending): [string, string] => [`voice.${ending}`, 'audio/wav']),
  ...'mp3 mpeg'.split(' ').map((ending): [string, string] => [`voice.${ending}`, 'audio/mpeg']),
  ...'m4a mp4'.split(' ').map((ending): [string, string] => [`voice.${ending}`, 'audio/mp4']),
  ...'ogg oga opus'.split(' ').map((ending): [string, string] => [`voice.${ending}`, 'audio/ogg']),
  ...'webm weba'.split(' ').map((ending): [string, string] => [`voice.${ending}`, 'audio/webm']),
  ...'3gp 3gpp'.split(' ').map((ending): [string, string] => [`voice.${ending}`, 'audio/3gpp']),
  ...'aiff aif'.split(' ').map((ending): [string, string] => [`voice.${ending}`, 'audio/aiff']),
  ...'flac aac amr'.split(' ').map((ending): [string, string] => [`voice.${ending}`, `audio/${ending}`]),
  ['voice.WAV', 'audio/wav'],
  ['a.b/voice.opus', 'audio/ogg'],
  ['voice', null],
  ['folder.mp3/voice', null],
  ['voice.txt', null],
])('by its name, %s is %s', (name, type) => {
  expect(mediaTypeOfName(name)).toBe(type);
});

test('a media type has many names, with parameters or without', () => {
  expect(namesOfMediaType('Audio/X-WAV; codecs=1')).toContain('wav');
  expect(namesOfMediaType('audio/strange')).toEqual(['audio/strange']);
});
