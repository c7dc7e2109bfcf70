/** A token as it is handed to a server: who it is of, and what proves it. */
export type HadoopTokenBytes = { readonly identifier: Uint8Array; readonly password: Uint8Array }

/** The caller: a user who is believed, perhaps on behalf of another one, or the owner of a token. */
export type HadoopIdentity = {
  readonly user: string
  /** On whose behalf. */
  readonly doas?: string | undefined
  readonly token?: HadoopTokenBytes | undefined
}

/** Hadoop's terms: `user` is the one in `doas`, if there is one. */
export const toUserInformation = ({
  user,
  doas,
}: HadoopIdentity): { readonly effectiveUser: string; readonly realUser?: string } =>
  doas === undefined ? { effectiveUser: user } : { effectiveUser: doas, realUser: user }
