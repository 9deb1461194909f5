/** A file that the browser cannot play, for download. */
import { texts } from '../../../base/texts.ts';
import { Action } from '../../../ui/parts.tsx';
import type { LoadedFile } from './use-file.ts';

export const Unplayable = ({ why, file }: { readonly why: string; readonly file: LoadedFile }) => (
  <p className="unplayable">
    {why}{' '}
    <Action className="link" act={file.download}>
      {texts.message.file.download}
    </Action>
  </p>
);
