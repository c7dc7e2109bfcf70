/** Where a REST catalog is and who this server is to it, in the words of Iceberg's catalog properties. */
export type RestCatalogSettings = {
  /** `collector.output.catalog`; without a slash at its end. */
  readonly uri: string
  /** `collector.output.namespace`, its levels. */
  readonly namespace: readonly string[]
  /** Of several that a catalog has. */
  readonly warehouse: string | undefined
  /** Part of all paths behind `/v1`. @default what the catalog says */
  readonly prefix: string | undefined
  /** A secret; excludes `credential`. */
  readonly token: string | undefined
  /** `client-id:client-secret`, for which tokens are fetched; a secret. */
  readonly credential: string | undefined
  /** Where. @default the catalog's own `/v1/oauth/tokens` */
  readonly oauth2ServerUri: string | undefined
  readonly scope: string
}
