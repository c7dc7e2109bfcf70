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
