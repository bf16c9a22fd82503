"""The sample tool catalogue, one line each: `name | description | parameters`, under the name of its service.

A parameter is `name:type:what it means`; `!` after the type makes it required, `a/b/c` in place of a type is a choice.
"""

TABLE = """
# repo
list_files | List files under a folder of the repository at a given revision. Use it before reading, to find out what is there. | path:str!:Folder inside the repository, "" for its root; ref:str:Branch, tag or commit, the default branch if left out; recursive:bool:Also everything below
read_file | Read a text file at a given revision. Binary files are refused with their size and type. | path:str!:Path inside the repository; ref:str:Branch, tag or commit; first_line:int:Where to begin, from 1; last_line:int:Where to stop
search_code | Search the contents of all files for a text or a regular expression and return matching lines with two lines around them. | pattern:str!:What to look for; regex:bool:Read the pattern as a regular expression; path_glob:str:Only files like this, for example src/**/*.py; ignore_case:bool:Treat capitals as small letters
create_branch | Create a branch from a revision. | name:str!:The new branch; from_ref:str!:Where it starts
commit_files | Commit one or more changed files to a branch in one go. Refused when the branch moved since the given parent. | branch:str!:Branch to commit to; message:str!:First line in the imperative, then the reason; files:list!:Path and new content of each; parent:str!:Commit the changes were made on
open_pull_request | Open a pull request and request reviews. | title:str!:One line; body:str:What and why, in Markdown; head:str!:Branch with the changes; base:str!:Branch to merge into; reviewers:list:Names of people or teams; draft:bool:Not ready for review yet
get_pull_request | Return a pull request with its state, checks, reviews and whether it can be merged. | number:int!:Its number
list_pull_requests | List pull requests, newest first. | state:open/merged/closed/all:Which ones; author:str:Only those of one person; label:str:Only with this label
get_diff | Return the unified diff of a pull request or between two revisions. Files over 2,000 changed lines are summarised. | number:int:Pull request; base:str:Instead of a number, the older revision; head:str:And the newer one
comment_on_line | Comment on one line of a pull request. | number:int!:Pull request; path:str!:File; line:int!:Line in the new version; body:str!:The comment
merge_pull_request | Merge a pull request whose checks are green. Not to be undone from here. | number:int!:Pull request; method:merge/squash/rebase:How; delete_branch:bool:Delete the branch afterwards
compare_refs | Count commits and files between two revisions. | base:str!:Older; head:str!:Newer

# tracker
search_issues | Find issues by words and fields, most recently changed first. Returns key, title, state, assignee and labels, not the whole text. | query:str:Words in title or description; project:str:Key of a project; state:open/in_progress/blocked/done:Only in this state; assignee:str:Name or "me"; label:str:Only with this label; changed_since:date:Only newer changes
get_issue | Return one issue with its description, comments, links and history. | key:str!:For example BERTH-214
create_issue | Create an issue. Looks for likely duplicates first and returns them instead when it is sure. | project:str!:Key of the project; title:str!:One line; description:str:Markdown; kind:bug/task/story/question:What it is; priority:low/normal/high/urgent:How much it hurts; labels:list:Any number
update_issue | Change fields of an issue. Fields left out stay as they are. | key:str!:Which one; title:str:New title; description:str:New text; state:open/in_progress/blocked/done:New state; assignee:str:Name, or "" for nobody; priority:low/normal/high/urgent:New priority
add_comment | Comment on an issue. Mentions send a message to those mentioned. | key:str!:Which one; body:str!:Markdown
link_issues | Say how two issues belong together. | from_key:str!:First; to_key:str!:Second; kind:blocks/duplicates/relates/causes:How
list_sprints | List sprints of a board with dates and points. | board:str!:Name of the board; state:past/active/future:Which
move_to_sprint | Move issues into a sprint. | keys:list!:Which issues; sprint:int!:Where to
log_work | Record time spent. | key:str!:On what; minutes:int!:How long; day:date!:When; note:str:Doing what
get_burndown | Return remaining points by day of a sprint, with the scope that was added on the way. | sprint:int!:Which one
attach_file | Attach a file to an issue. | key:str!:Which one; name:str!:File name; content_base64:str!:The bytes
list_watchers | Who is told when this issue changes? | key:str!:Which one

# calendar
list_events | List events between two moments across the calendars you may see, with attendees and their answers. Recurring events come as single ones. | start:datetime!:From; end:datetime!:Until; calendars:list:Only these; include_declined:bool:Also what was declined
get_event | Return one event with description, place, attendees, attachments and the link to the call. | event_id:str!:Which one
find_time | Propose times at which everybody can, best first. Respects working hours, holidays and travel between places, and says who would have to move something for each proposal. | attendees:list!:Addresses; minutes:int!:How long; earliest:datetime!:Not before; latest:datetime!:Not after; prefer:morning/afternoon/any:When it suits; allow_moving:bool:May events marked as movable be moved?
create_event | Create an event and invite people. | title:str!:What; start:datetime!:From; end:datetime!:Until; attendees:list:Addresses; room:str:A room or ""; description:str:Agenda; recurrence:str:An RRULE, for example FREQ=WEEKLY;BYDAY=TU
update_event | Change an event; people are told what changed and why. | event_id:str!:Which one; title:str:New title; start:datetime:New start; end:datetime:New end; reason:str:One sentence to the attendees
cancel_event | Cancel an event, or one occurrence of it. | event_id:str!:Which one; only_this:bool:Leave the other occurrences; reason:str:One sentence
respond | Accept, decline or propose another time. | event_id:str!:Which one; answer:accept/decline/tentative/propose:What; comment:str:One line; proposed_start:datetime:With "propose"
list_rooms | Rooms with seats and equipment, free at a given time. | start:datetime!:From; end:datetime!:Until; seats:int:At least; equipment:list:For example screen, whiteboard
get_working_hours | Working hours, time zone and holidays of people. | people:list!:Addresses
set_out_of_office | Set the absence note. | start:datetime!:From; end:datetime!:Until; text:str!:The note; delegate:str:Who stands in
list_holidays | Public holidays of a place. | place:str!:Country or region; year:int!:Which year

# mail
search_mail | Search messages and return sender, subject, date and the first two lines. Understands from:, to:, has:attachment, before: and after:. | query:str!:As typed into the search box; folder:str:Only there; limit:int:At most so many
read_message | Read one message with its thread; quoted text is folded, remote pictures are not loaded. | message_id:str!:Which one; whole_thread:bool:Also the ones before
draft_message | Write a draft. Nothing is sent. | to:list!:Addresses; cc:list:Addresses; subject:str!:Line; body:str!:Plain text or Markdown; in_reply_to:str:A message to answer
send_draft | Send a draft that a person has seen. Refused when nobody opened it since it was written. | draft_id:str!:Which one; send_at:datetime:Later
move_messages | Move messages to a folder. | message_ids:list!:Which ones; folder:str!:Where to
label_messages | Add or remove labels. | message_ids:list!:Which ones; add:list:Labels; remove:list:Labels
create_filter | Sort incoming mail by a rule. Shows which of the last hundred messages it would have caught before it is switched on. | name:str!:Its name; conditions:list!:Field, operator, value; actions:list!:What happens; dry_run:bool:Only show
get_attachment | Return an attachment after a check for harmful content. | message_id:str!:Which message; name:str!:Which file
list_contacts | Find people by name, company or address. | query:str!:What is known
summarise_thread | Who wants what, what was agreed, what is open? | message_id:str!:Any message of the thread; language:str:For the summary
unsubscribe | Leave a mailing list by its own header, never by a link in the text. | message_id:str!:A message of the list
schedule_reminder | Bring a message back when nobody has answered. | message_id:str!:Which one; at:datetime!:When; only_if_no_reply:bool:Forget it when there was an answer

# database
list_tables | List tables and views with row counts (estimated) and sizes. | schema:str:Only this one
describe_table | Columns with types, nullability, defaults, comments; indexes; foreign keys in both directions; the five most frequent values of each column with few of them. | table:str!:Its name; schema:str:Its schema
run_query | Run one read-only statement with a time limit, and return rows as JSON. Statements that write are refused, also inside functions. Ask explain_query first for anything that joins large tables. | sql:str!:One statement; parameters:list:Values for $1, $2, …; max_rows:int:At most so many; timeout_ms:int:Give up after
explain_query | Show the plan of a statement, with real timings if wanted, and name its most expensive node in words. | sql:str!:One statement; parameters:list:Values; analyse:bool:Really run it
list_slow_queries | Statements by total time since a moment, normalised, with calls and mean. | since:datetime:From; limit:int:At most so many
list_locks | Who waits for whom, since when, with both statements. | min_wait_ms:int:Only longer waits
cancel_query | Cancel a running statement. | pid:int!:The backend; reason:str!:For the record
propose_index | Propose indexes for a statement and estimate their size and what they slow down. | sql:str!:One statement
list_migrations | Which migrations ran, and which wait? | environment:dev/staging/production:Where
table_growth | Size of a table by week, and when the disk is full at this rate. | table:str!:Its name; weeks:int:How far back
compare_schemas | What differs between two environments? | left:dev/staging/production:One; right:dev/staging/production:The other
sample_rows | Some rows of a table, personal data masked. | table:str!:Its name; count:int:How many

# cloud
list_services | List deployed services with version, instances, health and the time of the last deployment. | environment:staging/production:Where; team:str:Only theirs
get_service | Return one service: configuration without secrets, instances, recent events, dependencies in both directions. | name:str!:Its name; environment:staging/production:Where
deploy | Deploy a version. In production it asks for an approval by a second person, rolls out in three steps and goes back by itself when the error rate rises. | service:str!:What; version:str!:Tag or digest; environment:staging/production:Where; strategy:rolling/blue_green/canary:How; reason:str!:For the record
rollback | Go back to the version before. | service:str!:What; environment:staging/production:Where; reason:str!:For the record
scale | Change the number of instances within the limits of the service. | service:str!:What; environment:staging/production:Where; instances:int!:How many; until:datetime:Go back then
tail_logs | Recent log lines of a service, newest last. | service:str!:Whose; environment:staging/production:Where; minutes:int:How far back; level:debug/info/warning/error:At least; contains:str:Only lines with this text
list_secrets | Names, ages and users of secrets, never their values. | environment:staging/production:Where; older_than_days:int:Only older ones
rotate_secret | Make a new version of a secret and restart its users one after the other. | name:str!:Which one; environment:staging/production:Where; keep_old_hours:int:How long both are valid
list_buckets | Storage buckets with size, objects, class and whether the public can read them. | environment:staging/production:Where
get_cost | Cost by service, team or resource between two days, with the change against the period before. | start:date!:From; end:date!:Until; group_by:service/team/resource:How; currency:EUR/USD:In
run_job | Run a one-off job in the image of a service. | service:str!:Whose image; command:list!:Program and arguments; environment:staging/production:Where; timeout_minutes:int:Give up after
list_certificates | Certificates and when they expire. | within_days:int:Only those that expire soon

# monitoring
query_metric | Evaluate an expression over a range and return at most 500 points per series. Write the expression as in PromQL. | expression:str!:The expression; start:datetime!:From; end:datetime!:Until; step_seconds:int:Distance of points
list_alerts | Alerts that fire or fired, grouped by cause where that is known. | state:firing/resolved/silenced:Which; since:datetime:From; service:str:Only of one
silence_alert | Silence an alert for a while, with a reason and a name. | alert_id:str!:Which one; minutes:int!:How long, at most 480; reason:str!:Why
get_trace | Return one trace as a tree of spans with durations and errors. Spans under a millisecond are folded. | trace_id:str!:Which one
search_traces | Find traces by service, operation, duration and attributes. | service:str!:Where; operation:str:What; min_ms:int:At least; attributes:object:Key and value; limit:int:At most so many
get_dashboard | Return the panels of a dashboard with their current values. | name:str!:Which one; minutes:int:Window
list_incidents | Incidents with severity, commander, state and duration. | since:date:From; severity:1/2/3/4:Only these
open_incident | Open an incident, page who is on duty, and start a timeline. | title:str!:What people notice; severity:1/2/3/4:How bad; services:list:Which are concerned; customer_impact:str!:In one sentence
add_to_timeline | Add a line to an incident's timeline. | incident:int!:Which one; text:str!:What happened or was done; at:datetime:When, now if left out
who_is_on_call | Who has the pager, and who is next? | team:str!:Whose; at:datetime:When
error_groups | Errors grouped by stack, with first and last time seen, users affected and the release that brought them. | service:str!:Where; release:str:Only of one; since:datetime:From; unresolved:bool:Only open ones
slo_status | How much error budget is left, and how fast does it burn? | service:str!:Whose; window_days:int:Over how long

# payments
list_charges | List charges, newest first, with state, amount, fee and customer. | customer:str:Only theirs; state:pending/captured/failed/refunded/disputed:Only these; since:date:From; until:date:To; min_cents:int:At least
get_charge | Return one charge with its whole history. | charge:str!:Which one
refund_charge | Refund a charge, in whole or in part. Over 500.00 a second person has to approve. | charge:str!:Which one; amount_cents:int:All of it if left out; reason:duplicate/fraudulent/requested/goodwill:Why; note:str:For the record
list_payouts | Payouts to our bank with the charges in them. | since:date:From; until:date:To
list_disputes | Disputes with what is asked for and by when. | state:open/won/lost:Which ones
submit_evidence | Answer a dispute. This can be done once. | dispute:str!:Which one; documents:list!:Names of uploaded files; statement:str!:What happened, in our words
create_invoice | Create an invoice in draft. | customer:str!:For whom; lines:list!:Text, quantity, unit price in cents, tax rate; due_in_days:int:Term; currency:EUR/USD/GBP:In
send_invoice | Give an invoice its number and send it. Cannot be undone, only voided. | invoice:str!:Which one
void_invoice | Cancel an issued invoice by a second one. | invoice:str!:Which one; reason:str!:Printed on it
get_balance | What is available, and what is on its way? | currency:EUR/USD/GBP:In
update_subscription | Change plan or quantity of a subscription and preview what is billed for the rest of the period. | subscription:str!:Which one; plan:str:New plan; quantity:int:New quantity; prorate:bool:Bill the difference now; preview:bool:Only show
tax_report | Tax by country and rate for a quarter. | year:int!:Year; quarter:1/2/3/4:Quarter

# crm
find_customer | Find customers by name, address, domain or number. Returns likely duplicates together. | query:str!:What is known; limit:int:At most so many
get_customer | Return a customer with people, contracts, open tickets, invoices, recent conversations, and what was promised to them. | customer_id:str!:Which one
create_customer | Create a customer after a look for duplicates. | name:str!:Name; domain:str:Web domain; country:str!:Two letters; owner:str:Who looks after them
update_customer | Change fields of a customer. | customer_id:str!:Which one; fields:object!:Names and new values
log_conversation | Record a call, a meeting or a message. | customer_id:str!:With whom; kind:call/meeting/message:What; summary:str!:Two or three sentences; promised:str:What we promised, and by when; at:datetime!:When
list_deals | Deals by stage with amount, probability and next step; stale ones are marked. | owner:str:Whose; stage:lead/qualified/proposal/negotiation/won/lost:Only these; changed_before:date:Only stale ones
update_deal | Move a deal or change its amount. | deal_id:str!:Which one; stage:lead/qualified/proposal/negotiation/won/lost:New stage; amount_cents:int:New amount; next_step:str:What happens next; close_date:date:Expected
merge_customers | Merge two customers; the older number survives. | keep_id:str!:This stays; merge_id:str!:This goes
list_tickets | Support tickets of a customer. | customer_id:str!:Whose; state:open/waiting/solved:Only these
answer_ticket | Draft an answer to a ticket; a person sends it. | ticket_id:str!:Which one; body:str!:The answer; internal:bool:A note for colleagues
churn_risk | Who may leave, and what speaks for it? | segment:str:Only these customers; limit:int:At most so many
export_contacts | People who agreed to be written to, with the text they agreed to. | purpose:str!:What for; language:str:Only these

# documents
search_documents | Search all documents you may read, by words and by meaning, and return passages with their place. | query:str!:Question or words; space:str:Only there; kind:page/sheet/slides/pdf:Only these; changed_since:date:Only newer; limit:int:At most so many
read_document | Read a document as Markdown, with comments if wanted. | document_id:str!:Which one; with_comments:bool:Also the comments; version:int:An earlier version
create_document | Create a document from Markdown. | title:str!:Title; body:str!:Markdown; space:str!:Where; template:str:A template to begin with
edit_document | Replace a passage of a document. Refused when the passage is not there exactly once. | document_id:str!:Which one; old:str!:The passage as it is; new:str!:As it shall be; comment:str:Why
suggest_edit | Suggest a change without making it. | document_id:str!:Which one; old:str!:The passage; new:str!:The suggestion
comment_document | Comment on a passage. | document_id:str!:Which one; passage:str!:The words; body:str!:The comment
list_versions | Versions with author, time and size of the change. | document_id:str!:Which one
share_document | Give people access. Outside the organisation it asks an owner first. | document_id:str!:Which one; people:list!:Addresses or groups; role:read/comment/edit:What they may do; expires:date:Until
read_sheet | Read a range of a sheet as rows. | document_id:str!:Which one; sheet:str!:Which sheet; cells:str!:For example A1:F200; formulas:bool:Formulas, not values
write_sheet | Write rows into a range. | document_id:str!:Which one; sheet:str!:Which sheet; start_cell:str!:Upper left; rows:list!:Values
export_document | Export as PDF, DOCX or Markdown. | document_id:str!:Which one; form:pdf/docx/markdown:As
list_stale | Documents nobody changed or read for a long time. | space:str!:Where; months:int!:How long

# browser
open_page | Open an address and wait until the page has settled. Returns title, address after redirects and a list of what can be clicked or filled in, each with a number. | url:str!:Where to; wait_for:str:A text that has to appear; viewport:desktop/phone:Size
read_page | Return the readable text of the page, with headings and tables as Markdown, without navigation. | part:str:Only under this heading; max_chars:int:At most so many
click | Click an element by its number. | element:int!:Its number; button:left/right:Which button; wait_for:str:A text that has to appear
fill | Fill a field by its number. Passwords are refused: ask the person. | element:int!:Its number; text:str!:What to type; submit:bool:Press Enter afterwards
select_option | Choose in a list. | element:int!:Its number; option:str!:Visible text
take_screenshot | Take a picture of the page or of one element. | element:int:Only this one; whole_page:bool:Also what is below
evaluate | Evaluate an expression in the page and return it as JSON. | expression:str!:JavaScript
list_requests | Requests the page made, with status, size and time. | kind:document/script/image/fetch:Only these; failed:bool:Only failed ones
get_console | What the page wrote to the console. | level:error/warning/info:At least
set_cookie | Set a cookie for a test. | name:str!:Name; value:str!:Value; domain:str!:For
go_back | Back one page. | steps:int:How many
close_page | Close the page. | reason:str:For the record
"""
