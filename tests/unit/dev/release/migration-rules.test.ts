import { describe, expect, it } from "vitest";
import { lintMigrations } from "../../../../dev/release/migrations/lint-migrations.ts";
import { checkOwnMigrations } from "../../../../dev/release/migrations/read-migrations.ts";

const RELEASED = `
create table public.notes (
  id uuid primary key, body text not null, kind text not null check (kind in ('log', 'note')), old text, rank integer default 0,
  constraint notes_places check (rank >= 0 and (kind = 'log' or kind = 'note'))
);
create function public.list_notes(p_limit integer, p_kind text default null) returns jsonb language sql as $$ select '[]'::jsonb $$;
create function public.notes_by_rank(p_limit integer) returns table (id uuid, rank integer) language sql as $$ select null::uuid, 1 $$;
`;
const SCRIPT = 'database.call("list_notes",{p_limit:1}),"body","kind"';

function lint(sql: string) {
  return lintMigrations({
    released: [{ file: "1_released.sql", sql: RELEASED }],
    added: [{ file: "2_added.sql", sql }],
    releases: [
      { version: "0.9.0", script: '"gone_later"' },
      { version: "1.0.0", script: SCRIPT },
    ],
  });
}

describe("a migration that breaks the former Worker is refused", () => {
  it.each<[string, RegExp]>([
    ["drop table public.notes", /Statements that name notes fail.*Keep it, and remove it when no Worker/],
    ["alter table public.notes drop column body", /notes\.body fail/],
    ["alter table public.notes rename column body to text", /name body fail: it is text now/],
    ["alter table public.notes rename to memos", /name notes fail: it is memos now/],
    ["alter function public.list_notes(integer, text) rename to all_notes", /list_notes fail: it is all_notes now/],
    ["alter table public.notes set schema archive", /no longer in the schema/],
    ["alter table public.notes alter column rank type bigint", /notes\.rank gets another type.*Add a column beside it/],
    ["alter table public.notes alter column old set not null", /Rows without notes\.old are refused/],
    ["alter table public.notes alter column rank drop default", /notes\.rank are refused.*Keep the default/],
    ["alter table public.notes add column by text not null", /notes\.by are refused.*Give it a default/],
    ["alter table public.notes add constraint c check (rank < 9)", /check c is new/],
    ["alter table public.notes add constraint c unique (body)", /c is new/],
    ["alter table public.notes drop constraint notes_pkey", /"on conflict" fails/],
    [
      "alter table public.notes drop constraint notes_kind_check; alter table public.notes add constraint notes_kind_check check (kind in ('log'))",
      /notes_kind_check is not certainly wider.*contract note:/,
    ],
    [
      "alter table public.notes add constraint notes_places check (rank >= 1 and (kind = 'log' or kind = 'note'))",
      /notes_places is not certainly wider/,
    ],
    ["drop function public.list_notes(integer, text)", /Calls of list_notes\(\) fail/],
    [
      "drop function public.list_notes(integer, text); create function public.list_notes(p_limit integer, p_kind text default null, p_by text) returns jsonb language sql as $$ select '[]'::jsonb $$",
      /p_by is new and required.*Give it a default/,
    ],
    [
      "drop function public.list_notes(integer, text); create function public.list_notes(p_limit integer) returns jsonb language sql as $$ select '[]'::jsonb $$",
      /parameter p_kind is gone/,
    ],
    [
      "drop function public.list_notes(integer, text); create function public.list_notes(p_limit bigint, p_kind text default null) returns jsonb language sql as $$ select '[]'::jsonb $$",
      /p_limit of list_notes\(\) has another type/,
    ],
    [
      "drop function public.list_notes(integer, text); create function public.list_notes(p_limit integer, p_kind text) returns jsonb language sql as $$ select '[]'::jsonb $$",
      /without p_kind fail.*Keep the default/,
    ],
    [
      "drop function public.list_notes(integer, text); create function public.list_notes(p_limit integer, p_kind text default null) returns text language sql as $$ select '' $$",
      /returns another type/,
    ],
    [
      "drop function public.notes_by_rank(integer); create function public.notes_by_rank(p_limit integer) returns table (id uuid) language sql as $$ select null::uuid $$",
      /lacks the column rank/,
    ],
    [
      "create function public.list_notes(p_limit integer) returns jsonb language sql as $$ select '[]'::jsonb $$",
      /two functions list_notes/,
    ],
    ["create unique index concurrently one on public.notes (body)", /one is unique/],
    ["truncate public.notes", /rows are lost/],
    ["do $$ begin alter table public.notes drop column body; end $$", /`do` block changes the schema/],
    ["create index concurrently i on public.notes (rank); select 1", /fails in a transaction/],
  ])("%s", (sql, problem) => {
    expect(lint(sql).problems.join("\n")).toMatch(problem);
  });
});

describe("a migration that makes the former Worker wait is refused", () => {
  it.each<[string, RegExp]>([
    ["create index i on public.notes (rank)", /Writes to notes wait while i is built.*concurrently/],
    ["alter table public.notes add column n bigserial", /locked while it is rewritten/],
    ["alter table public.notes add column n uuid default gen_random_uuid()", /n is computed for each row/],
    ["alter table public.notes add column n text generated always as (lower(body)) stored", /n is computed/],
    ["alter table public.notes add column n text unique", /locked while an index is built/],
    ["update public.notes set rank = 1", /Rows of notes that are changed stay locked/],
    ["delete from public.notes where rank = 1", /Rows of notes/],
  ])("%s", (sql, problem) => {
    expect(lint(sql).problems.join("\n")).toMatch(problem);
  });

  it("unless it says why this is acceptable", () => {
    const accepted = lint(
      "-- accepts lock: nobody has more than a hundred notes\ncreate index i on public.notes (rank)",
    );
    expect(accepted).toEqual({
      problems: [],
      accepted: [
        "supabase/migrations/2_added.sql:2: Writes to notes wait while i is built. Accepted: nobody has more than a hundred notes",
      ],
    });
    const hasty = lint("-- accepts lock: fine\ncreate index i on public.notes (rank)");
    expect(hasty.problems.join("\n")).toContain('The reason "fine" is too short');
  });
});

describe("a migration that expands the schema passes", () => {
  it.each([
    "alter table public.notes add column by text",
    "alter table public.notes add column at timestamptz not null default now()",
    "alter table public.notes add column size integer not null default 0",
    "alter table public.notes add column low text generated always as (lower(body)) virtual",
    "alter table public.notes alter column body drop not null",
    "alter table public.notes drop constraint notes_kind_check; alter table public.notes add constraint notes_kind_check check (kind in ('log', 'note', 'post'))",
    "alter table public.notes drop constraint notes_places; alter table public.notes add constraint notes_places check (rank >= 0 and (kind = 'log' or kind = 'note' or kind = 'post'))",
    "create index concurrently i on public.notes (rank)",
    "create table public.tags (id uuid primary key, name text not null unique); create index t on public.tags (name); update public.tags set name = 'a'; drop table public.tags",
    "create or replace function public.list_notes(p_limit integer, p_kind text default null) returns jsonb language sql as $$ select '[1]'::jsonb $$",
    "drop function public.list_notes(integer, text); create function public.list_notes(p_limit integer, p_kind text default null, p_by text default null) returns jsonb language sql as $$ select '[]'::jsonb $$",
    "drop function public.notes_by_rank(integer); create function public.notes_by_rank(p_limit integer) returns table (id uuid, rank integer, body text) language sql as $$ select null::uuid, 1, '' $$",
    "create function public.new_notes(p_required text) returns jsonb language sql as $$ select '[]'::jsonb $$",
    "drop trigger if exists t on public.notes",
  ])("%s", (sql) => {
    expect(lint(sql)).toEqual({ problems: [], accepted: [] });
  });
});

describe("a migration that contracts the schema", () => {
  const contract = (name: string, release: string) =>
    lint(`-- Later.\n-- contract ${name}: unused since ${release}\nalter table public.notes drop column ${name}`)
      .problems;

  it("passes if the Worker of the named release does not name what goes", () => {
    expect(contract("old", "1.0.0")).toEqual([]);
  });

  it.each([
    ["body", "1.0.0", /The Worker of release 1\.0\.0 names body/],
    ["gone_later", "1.0.0", /The Worker of release 0\.9\.0 names gone_later/],
    ["old", "0.8.0", /Release 0\.8\.0 is not recorded.*the last one is 1\.0\.0/],
  ])("is refused for %s since %s", (name, release, problem) => {
    expect(contract(name, release).join("\n")).toMatch(problem);
  });

  it("is refused for another name than the comment's, and the comment is reported", () => {
    const sql = "-- contract rank: unused since 1.0.0\nalter table public.notes drop column old";
    expect(lint(sql).problems).toEqual([
      expect.stringMatching(/2_added\.sql:2: Statements that name notes\.old fail.*contract old:/),
      expect.stringContaining('The comment "contract rank" concerns nothing'),
    ]);
  });
});

it("a migration that is no SQL is reported with its line", () => {
  expect(() => lint("select 1;\nselect from from")).toThrow(/2_added\.sql:2 is no SQL/);
});

it("the migrations since the last release keep its Worker working", () => {
  expect(checkOwnMigrations().problems).toEqual([]);
});
