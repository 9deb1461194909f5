/** The waveform of a voice message: its loudness in 64 points, from its decoded sound. */
import { EncodedPacketSink } from 'mediabunny';
import { OpusDecoder } from 'opus-decoder';
import type { RandomAccessBytes } from '../../../domain/messages/media.ts';
import { BrokenContainer, withInput } from './container.ts';

const points = 64;
const sampleRate = 16_000;
/** 10 minutes of packets of 20 ms; of a longer message every second one is decoded, every third, and so on. */
const decodedPackets = 30_000;

/** Loudness from 0 to 100, the loudest part being 100, as the web app draws it (Baileys rc14 `getAudioWaveform`). */
const scaled = (levels: Float64Array): Uint8Array => {
  const loudest = Math.max(...levels);
  return Uint8Array.from(levels, (level) => (loudest > 0 ? Math.floor((100 * level) / loudest) : 0));
};

const loudnessOf = (samples: Float32Array): number => {
  let sum = 0;
  for (const sample of samples) sum += Math.abs(sample);
  return samples.length === 0 ? 0 : sum / samples.length;
};

/** 64 values from 0 to 100. The file is Ogg with Opus in one channel. Throws BrokenContainer for sound that cannot be decoded. */
export const waveformOf = (file: RandomAccessBytes): Promise<Uint8Array> =>
  withInput(file, async (input) => {
    const [track] = await input.getAudioTracks();
    if (track === undefined) throw new BrokenContainer('there is no sound');
    const seconds = await track.computeDuration();
    const decoder = new OpusDecoder({ sampleRate, channels: 1 });
    await decoder.ready;
    const sums = new Float64Array(points);
    const counts = new Float64Array(points);
    const step = Math.ceil((seconds * 50) / decodedPackets);
    let index = 0;
    for await (const packet of new EncodedPacketSink(track).packets()) {
      index += 1;
      if (index % step !== 0) continue;
      const { channelData, errors } = decoder.decodeFrame(packet.data);
      if (errors.length > 0) throw new BrokenContainer('the sound cannot be decoded');
      const point = Math.min(points - 1, Math.max(0, Math.floor((packet.timestamp / seconds) * points)));
      sums[point]! += loudnessOf(channelData[0]!);
      counts[point]! += 1;
    }
    decoder.free();
    return scaled(sums.map((sum, point) => (counts[point] === 0 ? 0 : sum / counts[point]!)));
  });
