/** Prepares files for sending: measures them, compares them with the format the apps play, and converts them if ffmpeg is available. */
import type { FileHandle } from 'node:fs/promises';
import {
  type AudioRequest,
  type FileContent,
  type FileRequest,
  type ImageRequest,
  type OutgoingAudio,
  type OutgoingImage,
  type OutgoingSticker,
  type OutgoingVideo,
  type VideoRequest,
  type EncipheredFile,
  type MediaClass,
  type MediaRequest,
  release,
} from '../../domain/messages/files.ts';
import { invalidRequest } from '../../errors.ts';
import type { Logger } from '../../log.ts';
import type { Facts } from './containers/inspect.ts';
import type { Unfit } from './containers/container.ts';
import { prepareDocument } from './document.ts';
import { encipherBytes, encipherStream } from './encipher.ts';
import {
  type Conversion,
  ConversionFailed,
  runFfmpeg,
  toAudio,
  toNote,
  toThumbnail,
  toVideo,
  toVoice,
} from './ffmpeg/ffmpeg.ts';
import type { MediaProcess } from './media-process.ts';
import type { TemporaryFiles } from './temporary-files.ts';
import { Turns } from './turns.ts';

const pieceBytes = 262_144;
const thumbnailSize = 72;
const maxThumbnailBytes = 65_536;
const thumbnailSeconds = 5;
const conversionSeconds = 120;
const maxStickerSource = 10_485_760;

export interface PreparationParts {
  readonly pictures: MediaProcess;
  readonly containers: MediaProcess;
  readonly ffmpeg: string | null;
  readonly files: TemporaryFiles;
  readonly maxBytes: number;
  readonly log: Logger;
}

const copy = async ({ plain, held }: EncipheredFile, to: FileHandle): Promise<void> => {
  for (let at = 0; at < plain.size; at += pieceBytes) {
    const piece = await plain.read(at, pieceBytes);
    await to.write(piece, 0, piece.length, at);
    // A file that is not in memory gives a new buffer for each piece.
    if (held < plain.size) release(piece);
  }
};

async function* piecesOf(file: FileHandle): AsyncGenerator<Uint8Array> {
  for (let at = 0; ;) {
    const piece = Buffer.allocUnsafeSlow(pieceBytes);
    const { bytesRead } = await file.read(piece, 0, pieceBytes, at);
    if (bytesRead === 0) return;
    at += bytesRead;
    yield piece.subarray(0, bytesRead);
  }
}

const wholeOf = async (file: FileHandle, maxBytes: number): Promise<Uint8Array | null> => {
  const { size } = await file.stat();
  if (size === 0 || size > maxBytes) return null;
  const bytes = Buffer.allocUnsafeSlow(size);
  await file.read(bytes, 0, size, 0);
  return bytes;
};

const onceOf = ({ viewOnce = false }: ImageRequest | VideoRequest | AudioRequest) => (viewOnce ? { viewOnce } : {});

export class Preparation {
  readonly #parts: PreparationParts;
  /** Thumbnails do not wait for conversions. */
  readonly #thumbnails = new Turns();
  readonly #conversions = new Turns();

  constructor(parts: PreparationParts) {
    this.#parts = parts;
  }

  async file(
    given: EncipheredFile,
    wanted: FileRequest,
    caption: string | null,
    request: MediaRequest,
  ): Promise<FileContent> {
    switch (wanted.kind) {
      case 'image':
        return { kind: 'image', image: await this.image(given, caption, request), ...onceOf(wanted) };
      case 'document':
        return { kind: 'document', document: await prepareDocument(given, wanted, caption) };
      case 'video':
        return { kind: 'video', video: await this.video(given, wanted, caption, request), ...onceOf(wanted) };
      case 'audio':
        return { kind: 'audio', audio: await this.audio(given, wanted, request), ...onceOf(wanted) };
      case 'sticker':
        return { kind: 'sticker', sticker: await this.sticker(given, request) };
    }
  }

  async image(given: EncipheredFile, caption: string | null, request: MediaRequest): Promise<OutgoingImage> {
    const bytes = await given.plain.read(0, given.plain.size);
    const { bytes: sent, ...facts } = await this.#parts.pictures.image(bytes, request);
    return { file: sent === bytes ? given : await encipherBytes(sent, 'image'), ...facts, caption };
  }

  async video(
    given: EncipheredFile,
    { isGif, isNote = false }: Pick<VideoRequest, 'isGif' | 'isNote'>,
    caption: string | null,
    request: MediaRequest,
  ): Promise<OutgoingVideo> {
    const convert = (unfit: Unfit) => (isNote ? toNote(unfit) : toVideo(unfit, isGif));
    const { file, facts } = await this.#fitting(given, 'video', isNote ? 'note' : 'video', convert, request);
    try {
      const thumbnail = await this.#thumbnail(file, request);
      return { file, mimetype: 'video/mp4', ...facts, thumbnail, isGif, ...(isNote && { isNote }), caption };
    } catch (error) {
      await file.close();
      throw error;
    }
  }

  async audio(
    given: EncipheredFile,
    { isVoice }: Pick<AudioRequest, 'isVoice'>,
    request: MediaRequest,
  ): Promise<OutgoingAudio> {
    if (!isVoice) {
      const { file, facts } = await this.#fitting(given, 'audio', 'audio', toAudio, request);
      return { file, ...facts, waveform: null };
    }
    const { file, facts } = await this.#fitting(given, 'audio', 'voice', () => toVoice, request);
    return { file, ...facts };
  }

  async sticker({ plain }: EncipheredFile, request: MediaRequest): Promise<OutgoingSticker> {
    if (plain.size > maxStickerSource) throw invalidRequest('A sticker must be made of a picture of at most 10 MB');
    const { bytes, ...facts } = await this.#parts.pictures.sticker(await plain.read(0, plain.size), request);
    return { file: await encipherBytes(bytes, 'sticker'), ...facts };
  }

  async #fitting<Kind extends keyof Facts>(
    given: EncipheredFile,
    mediaClass: MediaClass,
    kind: Kind,
    options: (unfit: Unfit) => readonly string[],
    request: MediaRequest,
  ): Promise<{ readonly file: EncipheredFile; readonly facts: Facts[Kind] }> {
    const { containers } = this.#parts;
    const judged = await containers.inspect(given.plain, kind, request);
    if ('fit' in judged) return { file: given, facts: judged.fit };
    const file = await this.#converted(given, mediaClass, judged, options(judged), request);
    try {
      const again = await containers.inspect(file.plain, kind, request);
      if ('fit' in again) return { file, facts: again.fit };
      throw new Error(`ffmpeg gave another form than ${kind} has`);
    } catch (error) {
      await file.close();
      throw error;
    }
  }

  async #converted(
    given: EncipheredFile,
    mediaClass: MediaClass,
    { wanted }: Unfit,
    options: readonly string[],
    request: MediaRequest,
  ): Promise<EncipheredFile> {
    const { ffmpeg, files, maxBytes, log } = this.#parts;
    if (ffmpeg === null) throw invalidRequest(`${wanted}; other forms are converted only where the service has ffmpeg`);
    try {
      const limits = { maxBytes, maxCpuSeconds: conversionSeconds };
      return await this.#conversions.run(request, () =>
        this.#run(ffmpeg, given, options, { ...limits, signal: request.signal }, (target) =>
          encipherStream(piecesOf(target), mediaClass, files),
        ),
      );
    } catch (error) {
      if (!(error instanceof ConversionFailed)) throw error;
      log.debug({ reason: error.message }, 'a file could not be converted');
      throw invalidRequest(`${wanted}, or a form from which it can be converted; this file could not be`);
    }
  }

  async #thumbnail(file: EncipheredFile, request: MediaRequest): Promise<Uint8Array | null> {
    const { ffmpeg, log } = this.#parts;
    if (ffmpeg === null) return null;
    try {
      const limits = { maxBytes: maxThumbnailBytes, maxCpuSeconds: thumbnailSeconds };
      return await this.#thumbnails.run(request, () =>
        this.#run(ffmpeg, file, toThumbnail(thumbnailSize), { ...limits, signal: request.signal }, (target) =>
          wholeOf(target, maxThumbnailBytes),
        ),
      );
    } catch (error) {
      if (!(error instanceof ConversionFailed)) throw error;
      log.debug({ reason: error.message }, 'a video has no thumbnail');
      return null;
    }
  }

  async #run<T>(
    ffmpeg: string,
    file: EncipheredFile,
    options: readonly string[],
    limits: Pick<Conversion, 'maxBytes' | 'maxCpuSeconds' | 'signal'>,
    use: (target: FileHandle) => Promise<T>,
  ): Promise<T> {
    await using source = await this.#parts.files.create();
    await using target = await this.#parts.files.create();
    await copy(file, source);
    await runFfmpeg(ffmpeg, { ...limits, source, target, options });
    return await use(target);
  }
}
