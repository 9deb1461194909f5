/** An image or a sticker. */
import { useState } from 'react';
import type { Message, Media } from '../../../api/message.ts';
import { texts } from '../../../base/texts.ts';
import { icons } from '../../../ui/icons.tsx';
import { Action } from '../../../ui/parts.tsx';
import { authorOf } from '../../shown/people.ts';
import { useShown } from '../../shown/shown.ts';
import { Unplayable } from './unplayable.tsx';
import { useFile, useInline } from './use-file.ts';

const words = texts.message.file;

const maxHeight = 280;

/** The size before and after loading, so that the layout does not move. */
const sizeOf = (media: Media | null, maxWidth: number): { readonly width?: number; readonly height?: number } => {
  const { width, height } = media ?? {};
  if (!width || !height) return {};
  const shown = Math.round(Math.min(width, maxWidth, (maxHeight * width) / height));
  return { width: shown, height: Math.round((shown * height) / width) };
};

export const Picture = ({ message }: { readonly message: Message }) => {
  const { nameOf } = useShown();
  const file = useFile(message);
  const place = useInline(message, file);
  const [broken, setBroken] = useState(false);
  const isSticker = message.type === 'sticker';
  const size = sizeOf(message.media, isSticker ? 160 : 480);
  if (broken) return <Unplayable why={words.notShown} file={file} />;
  if (file.url === null) {
    return (
      <div className={isSticker ? 'awaited sticker' : 'awaited'} ref={place}>
        {size.width !== undefined && <svg {...size} viewBox={`0 0 ${size.width} ${size.height}`} aria-hidden="true" />}
        <Action className="show-file" act={file.load}>
          {icons.image}
          {isSticker ? words.showSticker : words.showImage}
        </Action>
      </div>
    );
  }
  const name = nameOf(authorOf(message));
  return (
    <img
      className={isSticker ? 'sticker' : ''}
      src={file.url}
      alt={message.text ?? (isSticker ? words.sticker(name) : words.image(name))}
      {...size}
      onError={() => setBroken(true)}
    />
  );
};
