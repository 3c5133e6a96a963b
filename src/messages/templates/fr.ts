import type { Wordings } from './wording';

const minutes = (count: number) => (count === 1 ? '1 minute' : `${count} minutes`);
const support = (contact: string | null) => contact ?? 'notre service client';

/** French. */
export const fr: Wordings = {
  'verification-code': ({ code, expiresInMinutes }) => ({
    subject: 'Votre code de confirmation',
    body: [
      'Bonjour,',
      'Voici le code qui vous permet de confirmer votre adresse e-mail\u00a0:',
      { code },
      `Ce code est valable ${minutes(expiresInMinutes)}. Ne le communiquez à personne.`,
      'Si vous n’avez pas demandé ce code, vous pouvez ignorer ce message\u00a0: rien ne changera.',
    ],
    sms: `${code} est votre code de confirmation, valable ${minutes(expiresInMinutes)}. Ne le communiquez à personne. Si vous ne l'avez pas demandé, ignorez ce message.`,
  }),
  'recovery-code': ({ code, expiresInMinutes, touchpointName }) => ({
    subject: 'Votre code pour un nouveau mot de passe',
    body: [
      'Bonjour,',
      `Voici le code qui vous permet de choisir un nouveau mot de passe pour ${touchpointName}\u00a0:`,
      { code },
      `Ce code est valable ${minutes(expiresInMinutes)}. Ne le communiquez à personne\u00a0: aucun d’entre nous ne vous le demandera.`,
      'Si vous n’avez pas demandé ce code, vous pouvez ignorer ce message\u00a0: votre mot de passe ne changera pas.',
    ],
    sms: `${code} est votre code pour un nouveau mot de passe (${touchpointName}), valable ${minutes(expiresInMinutes)}. Ne le communiquez à personne.`,
  }),
  'account-exists': () => ({
    subject: 'Vous avez déjà un compte',
    body: [
      'Bonjour,',
      'Quelqu’un, sans doute vous, a essayé de s’inscrire avec cette adresse e-mail. Elle est déjà associée à un compte\u00a0: aucun nouveau compte n’a été créé.',
      'Si c’était vous, connectez-vous comme d’habitude.',
      'Si ce n’était pas vous, vous pouvez ignorer ce message\u00a0: rien n’a changé.',
    ],
    sms: "Quelqu'un, sans doute vous, a essayé de s'inscrire avec ce numéro. Vous avez déjà un compte : connectez-vous. Si ce n'était pas vous, ignorez ce message.",
  }),
  'identifier-changed': ({ newDestinationMasked }, contact) =>
    newDestinationMasked === null
      ? {
          subject: 'Votre adresse e-mail a été retirée',
          body: [
            'Bonjour,',
            'Cette adresse e-mail a été retirée de votre compte. Nous n’y enverrons plus de messages.',
            `Si vous n’êtes pas à l’origine de ce changement, contactez sans attendre ${support(contact)}.`,
          ],
          sms: `Ce numéro de téléphone a été retiré de votre compte. Si ce n'était pas vous, contactez sans attendre ${support(contact)}.`,
        }
      : {
          subject: 'Votre adresse e-mail a été modifiée',
          body: [
            'Bonjour,',
            `L’adresse e-mail de votre compte a été remplacée par ${newDestinationMasked}. C’est désormais à cette adresse que nous vous écrirons.`,
            `Si vous n’êtes pas à l’origine de ce changement, contactez sans attendre ${support(contact)}.`,
          ],
          sms: `Le numéro de téléphone de votre compte a été remplacé par ${newDestinationMasked}. Si ce n'était pas vous, contactez sans attendre ${support(contact)}.`,
        },
  'identity-linked': ({ issuerName }, contact) => ({
    subject: 'Un nouveau moyen de connexion a été ajouté',
    body: [
      'Bonjour,',
      `Vous pouvez désormais aussi vous connecter à votre compte par ${issuerName}.`,
      `Si vous n’êtes pas à l’origine de ce changement, contactez sans attendre ${support(contact)}.`,
    ],
    sms: `Votre compte est désormais aussi accessible par ${issuerName}. Si ce n'était pas vous, contactez sans attendre ${support(contact)}.`,
  }),
  'password-changed': (_, contact) => ({
    subject: 'Votre mot de passe a été modifié',
    body: [
      'Bonjour,',
      'Le mot de passe de votre compte vient d’être modifié. Vous avez été déconnecté de tous vos autres appareils.',
      `Si vous n’êtes pas à l’origine de ce changement, contactez sans attendre ${support(contact)}.`,
    ],
    sms: `Le mot de passe de votre compte vient d'être modifié. Si ce n'était pas vous, contactez sans attendre ${support(contact)}.`,
  }),
  'password-recovered': (_, contact) => ({
    subject: 'Vous avez un nouveau mot de passe',
    body: [
      'Bonjour,',
      'Un nouveau mot de passe vient d’être choisi pour votre compte avec un code que nous avions envoyé. Vous avez été déconnecté de tous vos appareils.',
      `Si vous n’êtes pas à l’origine de ce changement, contactez sans attendre ${support(contact)}.`,
    ],
    sms: `Un nouveau mot de passe vient d'être choisi pour votre compte. Si ce n'était pas vous, contactez sans attendre ${support(contact)}.`,
  }),
  'recovery-advised': (_, contact) => ({
    subject: 'Veuillez choisir un nouveau mot de passe',
    body: [
      'Bonjour,',
      'Nous vous conseillons de choisir un nouveau mot de passe. Rendez-vous là où vous vous connectez d’habitude et choisissez « Mot de passe oublié ? » : nous vous enverrons alors un code.',
      'D’ici là, votre mot de passe actuel reste valable. Nous ne vous demanderons jamais votre mot de passe ni un code.',
      `Si vous avez une question, contactez ${support(contact)}.`,
    ],
    sms: `Choisissez un nouveau mot de passe : "Mot de passe oublié ?" à la connexion. Nous ne demandons jamais de code. Questions : ${support(contact)}.`,
  }),
};
