/** The content of a message and what stands around it. */
import type { message as english } from '../en/message.ts';
import type { Translated } from '../translated.ts';
import { count, duration, inside, number, you } from './words.ts';

export const message: Translated<typeof english> = {
  message: {
    file: {
      showImage: 'Mostrar imagen',
      showSticker: 'Mostrar sticker',
      showVideo: 'Mostrar video',
      showGif: 'Mostrar GIF',
      image: (name: string) => `Imagen de ${inside(name)}`,
      sticker: (name: string) => `Sticker de ${inside(name)}`,
      video: (name: string) => `Video de ${inside(name)}`,
      download: 'Descargar',
      document: 'Documento',
      notShown: 'Tu navegador no puede mostrar este archivo.',
      notPlayed: 'Tu navegador no puede reproducir este archivo.',
    },
    sound: { play: 'Reproducir', pause: 'Pausar', position: 'Posición', voice: 'Mensaje de voz', audio: 'Audio' },
    location: {
      title: 'Ubicación',
      live: 'Ubicación en tiempo real',
      accuracy: (meters: number) => `Precisión de ${count(meters, 'metro', 'metros')}`,
      map: 'Abrir mapa',
      none: 'Sin coordenadas',
    },
    contact: { unnamed: 'Contacto sin nombre', all: (n: number) => `Mostrar ${count(n, 'contacto', 'contactos')}` },
    poll: {
      title: 'Encuesta',
      one: 'Selecciona una opción',
      several: (most: number) => `Selecciona hasta ${count(most, 'opción', 'opciones')}`,
      votes: (n: number) => count(n, 'voto', 'votos'),
      voters: (n: number) => (n === 0 ? 'Aún no hay votos' : count(n, 'persona votó', 'personas votaron')),
    },
    event: {
      title: 'Evento',
      canceled: 'Cancelado',
      starts: (when: string) => `Comienza el ${when}`,
      ends: (when: string) => `Termina el ${when}`,
      answers: { going: 'Asistiré', maybe: 'Tal vez', notGoing: 'No asistiré' },
      guests: (n: number) => (n === 0 ? '' : ` + ${number(n)}`),
    },
    order: {
      title: 'Pedido',
      count: (items: number) => (items === 1 ? '1 artículo' : `${items} artículos`),
      sum: (amount: string) => `Total del pedido: ${amount}`,
      unnamed: 'Producto sin nombre',
    },
    invite: {
      title: 'Invitación a un grupo',
      expires: (when: string) => `Válida hasta el ${when}`,
      expired: 'Vencida',
      hint: 'Acéptala en tu teléfono.',
    },
    forwarded: { once: 'Reenviado', often: 'Reenviado muchas veces' },
    selection: 'Opción seleccionada',
    referral: { title: 'De un anuncio', open: 'Abrir anuncio' },
    quote: {
      unknown: 'Mensaje citado',
      goTo: (name: string) => (name === you ? 'Ir a tu mensaje citado' : `Ir al mensaje citado de ${name}`),
    },
    reactions: 'Reacciones',
    receipts: {
      title: 'Confirmaciones',
      person: 'Persona',
      delivered: 'Entregado',
      read: 'Leído',
      none: 'Nadie recibió este mensaje todavía.',
    },
    edited: 'Editado',
    pinned: 'Fijado',
    starred: 'Destacado',
    expires: (seconds: number) => `Desaparece después de ${duration(seconds)}`,
    timer: {
      on: (seconds: number) => `Los mensajes desaparecen después de ${duration(seconds)}.`,
      onBy: (name: string, seconds: number) =>
        `${name === you ? 'Configuraste' : `${name} configuró`} los mensajes para que desaparezcan después de ${duration(seconds)}.`,
      off: 'Los mensajes temporales están desactivados.',
      offBy: (name: string) => `${name === you ? 'Desactivaste' : `${name} desactivó`} los mensajes temporales.`,
    },
    elsewhere: {
      album: 'Álbum. Sus fotos y videos llegan a continuación como mensajes.',
      order: 'Pedido. Ábrelo en tu teléfono para ver los artículos.',
      product: 'Producto. Ábrelo en tu teléfono para ver el precio.',
      payment: 'Pago. Ábrelo en tu teléfono para ver el importe.',
      callLog: 'Llamada. Los detalles están en tu teléfono.',
      system: 'Aviso de WhatsApp. Abre el chat en tu teléfono para verlo.',
      unknown: 'Handset no puede mostrar este tipo de mensaje. Ábrelo en tu teléfono.',
    },
  },
};
