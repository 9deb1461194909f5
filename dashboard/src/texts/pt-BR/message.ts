/** The content of a message and what stands around it. */
import type { message as english } from '../en/message.ts';
import type { Translated } from '../translated.ts';
import { count, duration, inside, number, you } from './words.ts';

export const message: Translated<typeof english> = {
  message: {
    file: {
      showImage: 'Mostrar imagem',
      showSticker: 'Mostrar figurinha',
      showVideo: 'Mostrar vídeo',
      showGif: 'Mostrar GIF',
      image: (name: string) => `Imagem de ${inside(name)}`,
      sticker: (name: string) => `Figurinha de ${inside(name)}`,
      video: (name: string) => `Vídeo de ${inside(name)}`,
      download: 'Baixar',
      document: 'Documento',
      notShown: 'Seu navegador não consegue mostrar este arquivo.',
      notPlayed: 'Seu navegador não consegue reproduzir este arquivo.',
    },
    sound: { play: 'Reproduzir', pause: 'Pausar', position: 'Posição', voice: 'Mensagem de voz', audio: 'Áudio' },
    location: {
      title: 'Localização',
      live: 'Localização em tempo real',
      accuracy: (meters: number) => `Precisão de ${count(meters, 'metro', 'metros')}`,
      map: 'Abrir mapa',
      none: 'Sem coordenadas',
    },
    contact: { unnamed: 'Contato sem nome', all: (n: number) => `Mostrar ${count(n, 'contato', 'contatos')}` },
    poll: {
      title: 'Enquete',
      one: 'Selecione uma opção',
      several: (most: number) => `Selecione até ${count(most, 'opção', 'opções')}`,
      votes: (n: number) => count(n, 'voto', 'votos'),
      voters: (n: number) => (n === 0 ? 'Nenhum voto ainda' : count(n, 'pessoa votou', 'pessoas votaram')),
    },
    event: {
      title: 'Evento',
      canceled: 'Cancelado',
      starts: (when: string) => `Começa em ${when}`,
      ends: (when: string) => `Termina em ${when}`,
      answers: { going: 'Vou', maybe: 'Talvez', notGoing: 'Não vou' },
      guests: (n: number) => (n === 0 ? '' : ` + ${number(n)}`),
    },
    order: {
      title: 'Pedido',
      count: (items: number) => (items === 1 ? '1 item' : `${items} itens`),
      sum: (amount: string) => `Total do pedido: ${amount}`,
      unnamed: 'Produto sem nome',
    },
    invite: {
      title: 'Convite para grupo',
      expires: (when: string) => `Válido até ${when}`,
      expired: 'Expirado',
      hint: 'Aceite-o no seu celular.',
    },
    forwarded: { once: 'Encaminhada', often: 'Encaminhada com frequência' },
    selection: 'Opção selecionada',
    referral: { title: 'De um anúncio', open: 'Abrir anúncio' },
    quote: {
      unknown: 'Mensagem citada',
      goTo: (name: string) => (name === you ? 'Ir para a sua mensagem citada' : `Ir para a mensagem citada de ${name}`),
    },
    reactions: 'Reações',
    receipts: {
      title: 'Confirmações',
      person: 'Pessoa',
      delivered: 'Entregue',
      read: 'Lida',
      none: 'Ninguém recebeu esta mensagem ainda.',
    },
    edited: 'Editada',
    pinned: 'Fixada',
    starred: 'Favorita',
    expires: (seconds: number) => `Desaparece após ${duration(seconds)}`,
    timer: {
      on: (seconds: number) => `As mensagens desaparecem após ${duration(seconds)}.`,
      onBy: (name: string, seconds: number) =>
        `${name} definiu que as mensagens desaparecem após ${duration(seconds)}.`,
      off: 'As mensagens temporárias estão desativadas.',
      offBy: (name: string) => `${name} desativou as mensagens temporárias.`,
    },
    elsewhere: {
      album: 'Álbum. As fotos e os vídeos vêm a seguir como mensagens.',
      order: 'Pedido. Abra-o no seu celular para ver os itens.',
      product: 'Produto. Abra-o no seu celular para ver o preço.',
      payment: 'Pagamento. Abra-o no seu celular para ver o valor.',
      callLog: 'Chamada. Os detalhes estão no seu celular.',
      system: 'Aviso do WhatsApp. Abra a conversa no seu celular para vê-lo.',
      unknown: 'O Handset não consegue mostrar este tipo de mensagem. Abra-a no seu celular.',
    },
  },
};
