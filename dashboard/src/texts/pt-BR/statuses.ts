/** Status: publicações que os contatos veem por um dia. */
import type { statuses as english } from '../en/statuses.ts';
import type { Translated } from '../translated.ts';
import { count } from './words.ts';

export const statuses: Translated<typeof english> = {
  statuses: {
    title: 'Publicar um status',
    text: 'Texto',
    audience: 'Quem vê',
    audienceHint: 'Por um dia. Quem não está nos contatos da conta nunca vê.',
    audiences: {
      phone: 'Como escolhido no celular',
      contacts: 'Todos os contatos',
      only: 'Só estas pessoas',
      except: 'Todos os contatos, menos estas pessoas',
    },
    needsPeople: 'Escolha pelo menos uma pessoa.',
    needsText: 'Digite um texto.',
    file: 'Arquivo',
    fileHint: 'Opcional: uma imagem, um vídeo ou uma mensagem de voz, no máximo 10 MB.',
    tooLarge: 'O arquivo tem mais de 10 MB.',
    unreadable: 'Não é possível ler o arquivo.',
    voiceHasNoText: 'Uma mensagem de voz não tem texto.',
    view: 'Avisar que foi visto',
    viewed: 'O autor é avisado.',
    like: 'Curtir',
    liked: 'Curtido; o autor é avisado.',
    post: 'Publicar',
    posted: (n: number) => `Publicado para ${count(n, 'pessoa', 'pessoas')}.`,
    lastDay: 'Últimas 24 horas',
    none: 'Nenhum status',
    own: 'Esta conta',
    types: { image: 'Imagem', video: 'Vídeo', audio: 'Mensagem de voz', other: 'Outro tipo de status' },
    deleted: 'apagado',
    viewers: 'Visto por',
    nobody: 'Ninguém recebeu ainda.',
    delivered: 'recebido',
    remove: 'Apagar status',
    removeTitle: 'Apagar este status?',
    removeText: 'Quem recebeu deixa de ver.',
    removed: 'Status apagado.',
    setting: 'Status dos contatos',
    settingHint: 'Ver aqui não avisa os autores. Não ficam guardados por mais de um dia.',
    settings: { none: 'Não receber', received: 'Receber' },
  },
};
