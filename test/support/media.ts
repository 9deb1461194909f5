/** Media files of a few kB, made by ffmpeg 5.1 from its test pictures and tones, without metadata. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { findFfmpeg } from '../../src/whatsapp/media/ffmpeg/ffmpeg.ts';

export const samplePath = (name: string): string => join(import.meta.dirname, 'media', name);

/** A copy that the test may change. */
export const sample = (name: string): Buffer => Buffer.from(readFileSync(samplePath(name)));

/** Path of ffmpeg, or null. */
export const ffmpeg = findFfmpeg(null, process.env['PATH'] ?? '');

/** Reason to skip tests of conversions; false if ffmpeg is present. */
export const noFfmpeg: string | false = ffmpeg === null && 'there is no ffmpeg on the path';
