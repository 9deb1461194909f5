/** An image or a sticker. */
import { useState } from 'react';
import type { Message } from '../../api/message.ts';
import { texts } from '../../texts.ts';
import { icons } from '../../ui/icons.tsx';
import { Action } from '../../ui/parts.tsx';
import { authorOf } from './people.ts';
import { useShown } from './shown.ts';
import { Unplayable } from './unplayable.tsx';
import { useFile } from './use-file.ts';

const words = texts.message.file;

export const Picture = ({ message }: { readonly message: Message }) => {
  const { nameOf } = useShown();
  const file = useFile(message);
  const [broken, setBroken] = useState(false);
  const isSticker = message.type === 'sticker';
  if (broken) return <Unplayable why={words.notShown} file={file} />;
  if (file.url === null) {
    return (
      <Action className="show-file" act={file.load}>
        {icons.image}
        {isSticker ? words.showSticker : words.showImage}
      </Action>
    );
  }
  const name = nameOf(authorOf(message));
  const { width, height } = message.media ?? { width: null, height: null };
  return (
    <img
      className={isSticker ? 'sticker' : ''}
      src={file.url}
      alt={message.text ?? (isSticker ? words.sticker(name) : words.image(name))}
      {...(width !== null && height !== null && { width, height })}
      onError={() => setBroken(true)}
    />
  );
};
