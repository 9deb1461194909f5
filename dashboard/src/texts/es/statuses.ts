/** Estados: publicaciones que los contactos ven durante un día. */
import type { statuses as english } from '../en/statuses.ts';
import type { Translated } from '../translated.ts';
import { count } from './words.ts';

export const statuses: Translated<typeof english> = {
  statuses: {
    title: 'Publicar un estado',
    text: 'Texto',
    audience: 'Quién lo ve',
    audienceHint: 'Durante un día. Quien no está en los contactos de la cuenta nunca lo ve.',
    audiences: {
      phone: 'Según lo elegido en el teléfono',
      contacts: 'Todos los contactos',
      only: 'Solo estas personas',
      except: 'Todos los contactos excepto estas personas',
    },
    needsPeople: 'Elige al menos a una persona.',
    needsText: 'Escribe un texto.',
    file: 'Archivo',
    fileHint: 'Opcional: una imagen, un vídeo o un mensaje de voz, de 10 MB como máximo.',
    tooLarge: 'El archivo tiene más de 10 MB.',
    unreadable: 'No se puede leer el archivo.',
    voiceHasNoText: 'Un mensaje de voz no lleva texto.',
    view: 'Avisar que se vio',
    viewed: 'Se avisa al autor.',
    like: 'Me gusta',
    liked: 'Marcado; se avisa al autor.',
    post: 'Publicar',
    posted: (n: number) => `Publicado para ${count(n, 'persona', 'personas')}.`,
    lastDay: 'Últimas 24 horas',
    none: 'No hay estados',
    own: 'Esta cuenta',
    types: { image: 'Imagen', video: 'Vídeo', audio: 'Mensaje de voz', other: 'Otro tipo de estado' },
    deleted: 'eliminado',
    viewers: 'Visto por',
    nobody: 'Nadie lo ha recibido todavía.',
    delivered: 'recibido',
    remove: 'Eliminar estado',
    removeTitle: '¿Eliminar este estado?',
    removeText: 'Quienes lo recibieron dejan de verlo.',
    removed: 'Estado eliminado.',
    setting: 'Estados de los contactos',
    settingHint: 'Verlos aquí no avisa a sus autores. No se guardan más de un día.',
    settings: { none: 'No recibirlos', received: 'Recibirlos' },
  },
};
