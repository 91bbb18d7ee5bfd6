import { summaryOf, type AuditEntry, type AuditSubject, type RequestOrigin } from '../domain/audit';

/** An entry before it has an id and a time. */
export type AuditFacts = Omit<AuditEntry, 'id' | 'at'>;

/** What an operation finds out about its write. */
interface Findings extends Partial<Omit<AuditSubject, 'summary'>> {
  /** The names of the fields that change, or what else there is to say in a few words. */
  readonly details?: readonly string[];
}

/**
 * The one entry that an admin write leaves. The table that the write's operation is given carries it, and
 * `transact` adds it to the first transaction that the operation commits: so no operation can forget it.
 */
export class AuditTrail {
  private findings: Findings = {};
  private isRecorded = false;

  /**
   * @param facts what the request itself says; operations add what they find out
   * @param summary what is done in words, and the names of the fields that the request sends
   */
  constructor(
    private readonly facts: Omit<AuditFacts, 'summary'>,
    private readonly summary: { readonly what: string; readonly details: readonly string[] },
  ) {}

  get origin(): RequestOrigin {
    const { request_id, source_ip, user_agent } = this.facts;
    return { request_id, source_ip, user_agent };
  }

  /** Says more precisely what the write is about: for what commits from now on. */
  describe(findings: Findings): void {
    this.findings = { ...this.findings, ...findings };
  }

  /** What the entry says; undefined once it is recorded. */
  entry(): AuditFacts | undefined {
    if (this.isRecorded) return undefined;
    const { details = this.summary.details, ...subject } = this.findings;
    return { ...this.facts, ...subject, summary: summaryOf(this.summary.what, details) };
  }

  /** The entry was committed. */
  recorded(): void {
    this.isRecorded = true;
  }
}
