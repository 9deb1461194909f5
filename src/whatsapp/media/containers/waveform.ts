/** A voice message's waveform: loudness at 64 points, from the decoded sound. */
import { EncodedPacketSink } from 'mediabunny';
import { OpusDecoder } from 'opus-decoder';
import type { RandomAccessBytes } from '../../../domain/messages/files.ts';
import { BrokenContainer, withInput } from './container.ts';

const points = 64;
const sampleRate = 16_000;
/** Packets of 20 ms decoded per point: a minute in total, whatever the length. */
const packetsOfPoint = 47;

/** 0 to 100, relative to the loudest part, as the web app draws it. */
const scaled = (levels: Float64Array): Uint8Array => {
  const loudest = Math.max(...levels);
  return Uint8Array.from(levels, (level) => (loudest > 0 ? Math.floor((100 * level) / loudest) : 0));
};

const loudnessOf = (samples: Float32Array): number => {
  let sum = 0;
  for (const sample of samples) sum += Math.abs(sample);
  return samples.length === 0 ? 0 : sum / samples.length;
};

/** 64 values from 0 to 100. The file is Ogg with mono Opus. Throws BrokenContainer. */
export const waveformOf = (file: RandomAccessBytes): Promise<Uint8Array> =>
  withInput(file, async (input) => {
    const track = await input.getPrimaryAudioTrack();
    if (track === null) throw new BrokenContainer('there is no sound');
    const sink = new EncodedPacketSink(track);
    const pointSeconds = (await track.computeDuration()) / points;
    const decoder = new OpusDecoder({ sampleRate, channels: 1 });
    await decoder.ready;
    const levels = new Float64Array(points);
    let packet = await sink.getFirstPacket();
    for (let point = 0; point < points; point += 1) {
      const end = (point + 1) * pointSeconds;
      // Skips the rest of the previous point.
      if (packet !== null && packet.timestamp < end - pointSeconds) packet = await sink.getPacket(end - pointSeconds);
      let count = 0;
      for (; packet !== null && packet.timestamp < end && count < packetsOfPoint; count += 1) {
        const { channelData, errors } = decoder.decodeFrame(packet.data);
        if (errors.length > 0) throw new BrokenContainer('the sound cannot be decoded');
        levels[point]! += loudnessOf(channelData[0]!);
        packet = await sink.getNextPacket(packet);
      }
      if (count > 0) levels[point]! /= count;
    }
    decoder.free();
    return scaled(levels);
  });
