/** Media files of a few kB, made by ffmpeg 5.1 of its test pictures and tones, without metadata. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { findFfmpeg } from '../../src/whatsapp/media/ffmpeg/find.ts';

export const samplePath = (name: string): string => join(import.meta.dirname, 'media', name);

/** A copy, which the test may change. */
export const sample = (name: string): Buffer => Buffer.from(readFileSync(samplePath(name)));

/** The path of ffmpeg; null: there is none. */
export const ffmpeg = findFfmpeg(null, process.env['PATH'] ?? '');

/** Why a test of conversions is skipped; false where ffmpeg is there. */
export const noFfmpeg: string | false = ffmpeg === null && 'there is no ffmpeg on the path';
