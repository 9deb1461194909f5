/** The list of devices, and creating and pairing one. */
import type { devices as english } from '../en/devices.ts';
import type { Translated } from '../translated.ts';
import { count } from './words.ts';

export const devices: Translated<typeof english> = {
  devices: {
    title: 'Dispositivos',
    create: 'Nuevo dispositivo',
    none: 'Aún no hay dispositivos',
    noneHint: 'Un dispositivo es una cuenta de WhatsApp vinculada. Crea uno y escanea su código QR con tu teléfono.',
    device: 'Dispositivo',
    account: 'Cuenta',
    notLinked: 'Sin cuenta',
    sentColumn: 'Enviados',
    webhookColumn: 'Webhook',
    on: 'Sí',
    off: 'No',
    created: 'Creado',
    inactive: 'Inactivo',
    id: (id: number) => `Dispositivo ${id}`,
    search: 'Buscar por nombre, número o ID',
    noMatch: 'No se encontraron dispositivos',
    clear: 'Borrar la búsqueda',
    filter: 'Estado',
    all: 'Todos',
    summary: (connected: number, all: number) =>
      `${connected} de ${count(all, 'dispositivo conectado', 'dispositivos conectados')}`,
  },
  status: {
    connected: 'Conectado',
    qr: 'Vinculando',
    timeout: 'No conectado',
  },
  create: {
    title: 'Nuevo dispositivo',
    name: 'Nombre',
    nameHint: 'Te ayuda a reconocerlo. Opcional.',
    method: '¿Cómo quieres vincularlo?',
    byQr: 'Escanear un código QR',
    byQrHint: 'Con la cámara de tu teléfono',
    byCode: 'Ingresar un código',
    byCodeHint: 'Si no puedes escanear la pantalla',
    number: 'Número de teléfono',
    numberHint: 'Código de país y número, solo dígitos. Ejemplo: 5215512345678',
    history: 'Mensajes que se cargan del teléfono',
    historyHint: 'Aparecen en los chats y no activan webhooks.',
    submit: 'Crear dispositivo',
    working: 'Creando el dispositivo…',
  },
  pairing: {
    title: 'Vincular este dispositivo',
    qr: 'Código QR para escanear con tu teléfono',
    steps: [
      'Abre WhatsApp en tu teléfono.',
      'En Android: ⋮ › Dispositivos vinculados. En iPhone: Configuración › Dispositivos vinculados.',
      'Toca “Vincular un dispositivo” y escanea este código QR.',
    ],
    codeSteps: [
      'Abre WhatsApp en tu teléfono.',
      'En Android: ⋮ › Dispositivos vinculados. En iPhone: Configuración › Dispositivos vinculados. Toca “Vincular un dispositivo”.',
      'Toca “Vincular con número de teléfono” e ingresa este código.',
    ],
    code: 'Código de vinculación',
    copyCode: 'Copiar código',
    qrCountdown: (seconds: number) => `Nuevo código QR en ${seconds} s`,
    codeCountdown: (seconds: number) => `Vence en ${seconds} s`,
    refreshing: 'Esperando un nuevo código…',
    again: 'Vincular de nuevo',
    helpTitle: '¿Tu teléfono dice “No se pudo vincular el dispositivo”?',
    help: [
      'Vuelve a escanear el código QR de esta página. Es posible que WhatsApp haya emitido uno nuevo.',
      'Si sigue ocurriendo, la versión del cliente que aparece abajo puede ser demasiado antigua para WhatsApp. Actualiza Handset o pídeselo a su operador.',
    ],
  },
  passkey: {
    title: 'Confirma con tu clave de acceso',
    steps: [
      'Abre WhatsApp Web con el botón. La extensión “Handset passkey” te pedirá que confirmes allí.',
      'Haz clic en “Use passkey” y sigue las indicaciones de tu navegador o teléfono.',
      'Vuelve aquí. El dispositivo se conecta automáticamente o muestra un código para comparar.',
    ],
    open: 'Abrir WhatsApp Web',
    copyLink: 'Copiar enlace para otro navegador',
    noExtension: '¿Falta la extensión en este navegador?',
    download: 'Descargar la extensión',
    install: [
      'Descarga la extensión y descomprímela en este equipo.',
      'Abre chrome://extensions en Chrome, Edge, Brave o Chromium y activa el “Modo de desarrollador”.',
      'Haz clic en “Cargar descomprimida”, selecciona la carpeta y vuelve a abrir WhatsApp Web.',
    ],
    refused: (detail: string) =>
      `WhatsApp rechazó el último intento (${detail}). Vuelve a abrir WhatsApp Web y usa la clave de acceso de la cuenta que estás vinculando.`,
    countdown: (seconds: number) =>
      `Tiempo restante: ${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')} min`,
    over: 'Se acabó el tiempo',
    startOver: 'Empezar de nuevo',
    phone:
      'WhatsApp recibió tu clave de acceso. Tu teléfono está completando la vinculación, lo que tarda unos segundos.',
    confirmSteps: [
      'Mira tu teléfono. También muestra un código.',
      'Si ambos códigos son iguales, haz clic en “Los códigos coinciden”.',
      'El dispositivo se conecta automáticamente.',
    ],
    confirmWarning:
      'Si los códigos son distintos, es posible que alguien esté interceptando la vinculación. No confirmes. Empieza de nuevo.',
    code: 'Código para comparar',
    match: 'Los códigos coinciden',
    differ: 'Los códigos no coinciden, empezar de nuevo',
  },
};
