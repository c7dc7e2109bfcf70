/**
 * A module without the comments on lines of their own, a quarter of what would be sent. The lines stay, so that errors
 * name the right ones. No literal of a module may have a line that begins like a comment.
 */
export const withoutComments = (source: string): string =>
  source.replace(/^[ \t]*(?:\/\/.*|\/\*(?:(?!\*\/)[\s\S])*\*\/[ \t]*$)/gm, comment => comment.replace(/[^\n]+/g, ''))
