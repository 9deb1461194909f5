/** A file of any kind, to be downloaded. */
import type { Message } from '../../../api/message.ts';
import { fileSize } from '../../../base/format.ts';
import { texts } from '../../../base/texts.ts';
import { icons } from '../../../ui/icons.tsx';
import { Action } from '../../../ui/parts.tsx';
import { fileNameOf, formatOf } from './file-name.ts';
import { Part } from '../../shown/part.tsx';
import { useFile } from './use-file.ts';

const words = texts.message.file;

export const Document = ({ message }: { readonly message: Message }) => {
  const file = useFile(message);
  const { media } = message;
  if (media === null) return null;
  const facts = [formatOf(media), media.bytes === null ? '' : fileSize(media.bytes)].filter((fact) => fact !== '');
  return (
    <Part icon={icons.file} title={fileNameOf(media) ?? words.document}>
      <span className="dim">{facts.join(' · ')}</span>
      <Action className="link" act={file.download}>
        {words.download}
      </Action>
    </Part>
  );
};
