// Two services with the same failure in other words, and its fix: for the sample incident.

export interface SampleReport {
  readonly title: string;
  readonly target: string;
  readonly logs: string;
}

export const FIRST_REPORT: SampleReport = {
  title: "checkout answers with 500 at peak",
  target: "checkout",
  logs: [
    "18:02:11.480 ERROR [http-7] HikariPool-1 - Connection is not available, request timed out after 30000ms (total=10, active=10, idle=0, waiting=42)",
    "18:02:12.016 WARN  [housekeeper] ProxyLeakTask - Connection leak detection triggered for org.postgresql.jdbc.PgConnection@1f2e3d on thread http-3, stack trace follows",
    "java.lang.Exception: Apparent connection leak detected",
    "    at com.shop.coupons.CouponClient.lookup(CouponClient.java:88)",
  ].join("\n"),
};

export const FIX = "Updated the coupons library to 2.4.1: it closes its connection after an error.";

/** Another service with other symptoms, and a log of another form. */
export const SECOND_REPORT: SampleReport = {
  title: "every second invoice hangs",
  target: "invoices",
  logs: [
    "2026-03-04 09:40:03 WARN  ProxyLeakTask : Connection leak detection triggered for org.postgresql.jdbc.PgConnection@77aa01 on thread exec-12, stack trace follows",
    "java.lang.Exception: Apparent connection leak detected",
    "        at com.shop.coupons.CouponClient.lookup(CouponClient.java:88)",
    "2026-03-04 09:40:21 ERROR SqlExceptionHelper : HikariPool-1 - Connection is not available, request timed out after 30001ms (total=20, active=20, idle=0, waiting=17)",
  ].join("\n"),
};
