/** Converts the container of a recording from WebM, which Chromium records, to Ogg, which voice messages need. The audio is not changed. */
import { BlobSource, BufferTarget, Conversion, Input, OggOutputFormat, Output, WEBM } from 'mediabunny';

/** Throws if the recording has no sound. */
export const toOgg = async (recording: Blob): Promise<Blob> => {
  const input = new Input({ source: new BlobSource(recording), formats: [WEBM] });
  const target = new BufferTarget();
  const output = new Output({ format: new OggOutputFormat(), target });
  const conversion = await Conversion.init({ input, output, showWarnings: false });
  await conversion.execute();
  if (target.buffer === null) throw new Error('the recording is empty');
  return new Blob([target.buffer], { type: 'audio/ogg' });
};
