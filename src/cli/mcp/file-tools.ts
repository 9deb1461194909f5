/** MCP tools for files: the media of a message, and pictures of people and groups. */
import { z } from 'zod';
import { CommandError } from '../client/failure.ts';
import { addTool, asks, type Content, device, queryOf, type Tools, type WithImage } from './tool.ts';

/** Models accept no larger images. */
const maxBytes = 5_242_880;

const tooLarge = new CommandError(
  `The file has more than ${maxBytes / 1_048_576} MB; download it by the HTTP interface`,
);

const read = async (response: Response): Promise<Buffer> => {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  // Leaving the loop ends the download.
  for await (const chunk of response.body ?? []) {
    bytes += chunk.length;
    if (bytes > maxBytes) throw tooLarge;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
};

const contentOf = (path: string, mimeType: string, data: string): Content => {
  if (mimeType.startsWith('image/')) return { type: 'image', data, mimeType };
  if (mimeType.startsWith('audio/')) return { type: 'audio', data, mimeType };
  return { type: 'resource', resource: { uri: `handset:${path}`, mimeType, blob: data } };
};

const file = z.object({ mimeType: z.string(), bytes: z.number() });

const fileAt = async ({ client }: Tools, path: string): Promise<WithImage<z.output<typeof file>>> => {
  const response = await client.open(path, '*/*');
  const mimeType = (response.headers.get('content-type') ?? 'application/octet-stream').split(';')[0]!;
  const found = await read(response);
  const value = { mimeType, bytes: found.length };
  return { value, image: contentOf(path, mimeType, found.toString('base64')) };
};

export const registerFileTools = (tools: Tools): void => {
  addTool(tools, {
    name: 'get_media',
    title: 'Fetch the file of a message',
    description: 'The media of a message, up to 5 MB: images and audio as such, other files as a resource',
    input: z.object({
      device,
      messageId: z.string().min(1),
      chat: z.string().optional().describe('The chat (JID), where two have a message with this id'),
    }),
    output: file,
    hints: asks,
    run: ({ device: id, messageId, chat }) =>
      fileAt(tools, `/devices/${id}/messages/${encodeURIComponent(messageId)}/media${queryOf({ chat })}`),
  });
  addTool(tools, {
    name: 'get_picture',
    title: 'Fetch a picture',
    description: 'The picture of a person or a group',
    input: z.object({ device, of: z.string().min(1).describe('A phone number in digits, or a JID') }),
    output: file,
    hints: asks,
    run: ({ device: id, of }) => {
      const kind = of.endsWith('@g.us') ? 'groups' : 'contacts';
      return fileAt(tools, `/devices/${id}/${kind}/${encodeURIComponent(of)}/picture`);
    },
  });
};
