/** What a message means, in Markdown. */
export type Advice = {
  /** Its cause. */
  readonly why: string
  /** What Sluice does at that moment. */
  readonly now: string
  /** What a person can do. */
  readonly todo: string
}

/** One text as it is printed, with `…` for each value in it. */
export type MessageAdvice = Advice & { readonly says: string }

/** Where only the project can do something. */
export const reports = '[Report](../troubleshooting.md#what-to-put-into-a-report) the line with its `err`'

export const kerberos = '[When it does not work](../secure-clusters.md#when-it-does-not-work)'
