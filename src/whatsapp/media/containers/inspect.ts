/** Compares a file with the format required for sending. Runs in the media process. */
import type { RandomAccessBytes } from '../../../domain/messages/files.ts';
import { invalidRequest } from '../../../errors.ts';
import { type AudioFacts, judgeAudio, judgeVoice } from './audio.ts';
import { BrokenContainer, readContainer } from './container.ts';
import type { Judged } from './judged.ts';
import { judgeNote, judgeVideo, type VideoFacts } from './video.ts';
import { waveformOf } from './waveform.ts';

export type VoiceFacts = AudioFacts & {
  readonly waveform: Uint8Array;
};

export interface Facts {
  readonly video: VideoFacts;
  readonly note: VideoFacts;
  readonly audio: AudioFacts;
  readonly voice: VoiceFacts;
}

const inspectVoice = async (file: RandomAccessBytes): Promise<Judged<VoiceFacts>> => {
  const judged = judgeVoice(await readContainer(file));
  return 'fit' in judged ? { fit: { ...judged.fit, waveform: await waveformOf(file) } } : judged;
};

const inspectors: { readonly [Kind in keyof Facts]: (file: RandomAccessBytes) => Promise<Judged<Facts[Kind]>> } = {
  video: async (file) => judgeVideo(await readContainer(file)),
  note: async (file) => judgeNote(await readContainer(file)),
  audio: async (file) => judgeAudio(await readContainer(file)),
  voice: inspectVoice,
};

const nouns: Readonly<Record<keyof Facts, string>> = {
  video: 'video',
  note: 'video note',
  audio: 'audio',
  voice: 'voice message',
};

/** Throws InvalidRequest for a file that is damaged, truncated or empty. */
export const inspect = async <Kind extends keyof Facts>(
  file: RandomAccessBytes,
  kind: Kind,
): Promise<Judged<Facts[Kind]>> => {
  try {
    return await inspectors[kind](file);
  } catch (error) {
    if (!(error instanceof BrokenContainer)) throw error;
    throw invalidRequest(`The ${nouns[kind]} is damaged or ends too early`);
  }
};
