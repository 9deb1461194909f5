/** Why a device is not connected. */
import type { reasons as english } from '../en/reasons.ts';
import type { Translated } from '../translated.ts';

export const reasons: Translated<typeof english> = {
  reasons: {
    pairing:
      'Aguardando você escanear o QR code ou inserir o código de pareamento no celular, em Dispositivos conectados.',
    never_paired: 'O dispositivo não está conectado a uma conta: reinicie-o para obter um QR code.',
    pairing_expired:
      'O QR code não foi escaneado a tempo: reinicie o dispositivo para obter um novo. Se o celular mostrou “Não foi possível conectar o dispositivo” todas as vezes, a rede pode estar recusando esta versão do cliente: consulte docs/linking.md.',
    pairing_failed: 'A rede não concluiu o pareamento: reinicie o dispositivo para tentar novamente.',
    passkey_expired:
      'Ninguém confirmou a chave de acesso a tempo: reinicie o dispositivo para obter um novo QR code e confirme em até dez minutos.',
    logged_out: 'O dispositivo foi desconectado: reinicie-o para conectar uma conta novamente.',
    removed_by_phone:
      'O celular removeu este dispositivo dos dispositivos conectados, ou a rede encerrou a conexão: reinicie-o para conectá-lo novamente.',
    locked:
      'A rede bloqueou ou baniu esta conta, ou ela está em outro celular agora: abra o app no celular e faça o que ele pedir, depois reinicie o dispositivo para conectá-lo novamente.',
    banned:
      'A rede baniu esta conta: abra o app no celular e peça uma análise; quando ela voltar a funcionar, reinicie o dispositivo para conectá-lo novamente.',
    replaced:
      'Outro cliente assumiu a conexão com a mesma autenticação: pare esse cliente e reinicie o dispositivo para conectá-lo aqui.',
    client_outdated:
      'A rede recusa esta versão do cliente: atualize o serviço ou defina HANDSET_CLIENT_VERSION e reinicie o dispositivo.',
    inactive:
      'O dispositivo está inativo: ative-o para conectá-lo. A rede remove um dispositivo que fica 30 dias sem se conectar.',
    shutdown: 'O serviço está sendo encerrado: o dispositivo se reconecta quando ele voltar.',
  },
};
