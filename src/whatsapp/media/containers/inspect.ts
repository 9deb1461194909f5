/** Compares a file with the format required for sending. Runs in the media process. */
import type { RandomAccessBytes } from '../../../domain/messages/media.ts';
import { invalidRequest } from '../../../errors.ts';
import { type AudioFacts, judgeAudio, judgeVoice } from './audio.ts';
import { BrokenContainer, readContainer } from './container.ts';
import type { Judged } from './judged.ts';
import { judgeVideo, type VideoFacts } from './video.ts';
import { waveformOf } from './waveform.ts';

export type VoiceFacts = AudioFacts & {
  /** 64 values from 0 to 100. */
  readonly waveform: Uint8Array;
};

/** Facts by kind of file, about one in the right format. */
export interface Facts {
  readonly video: VideoFacts;
  readonly audio: AudioFacts;
  readonly voice: VoiceFacts;
}

const inspectVoice = async (file: RandomAccessBytes): Promise<Judged<VoiceFacts>> => {
  const judged = judgeVoice(await readContainer(file));
  return 'fit' in judged ? { fit: { ...judged.fit, waveform: await waveformOf(file) } } : judged;
};

const inspectors: { readonly [Kind in keyof Facts]: (file: RandomAccessBytes) => Promise<Judged<Facts[Kind]>> } = {
  video: async (file) => judgeVideo(await readContainer(file)),
  audio: async (file) => judgeAudio(await readContainer(file)),
  voice: inspectVoice,
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
    throw invalidRequest(`The ${kind === 'voice' ? 'voice message' : kind} is damaged or ends too early`);
  }
};
