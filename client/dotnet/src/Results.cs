using System;
using System.Collections.Generic;
using System.Linq;

namespace LicenseKey
{
    /// <summary>
    /// The result of a call: a <see cref="LicenseState"/>, or one of the other classes that derive from this class. Results are immutable,
    /// and two results are equal if all their values are equal.
    /// </summary>
    public abstract class Result : IEquatable<Result>
    {
        private string json = "";

        internal Result(string status) => Status = status;

        /// <summary>The name of the result in docs/client.md, such as <c>licensed</c>, <c>no_seats</c> or <c>failed</c>.</summary>
        public string Status { get; }

        /// <summary>Whether all values are equal.</summary>
        public bool Equals(Result? other) => other != null && json == other.json;

        /// <inheritdoc/>
        public override bool Equals(object? other) => Equals(other as Result);

        /// <inheritdoc/>
        public override int GetHashCode() => json.GetHashCode();

        /// <summary>The <see cref="Status"/>, for logs. It contains neither license key nor credential.</summary>
        public override string ToString() => Status;

        /// <summary>Reads a result of the C library.</summary>
        internal static Result Parse(string json) => WithJson(Read(JsonObject.Parse(json)), json);

        /// <summary>Reads a result of <c>consume</c> or <c>meters</c>. Their refusals have the same status as a license with an unknown status.</summary>
        internal static Result ParseUsage(string json) => WithJson(ReadUsage(JsonObject.Parse(json)), json);

        internal static Result ReadUsage(JsonObject found) => found.Text("status") == "refused" ? new UsageRefused(found.Text("reason"), found.Text("message")) : Read(found);

        internal static Result Read(JsonObject found)
        {
            var status = found.Text("status");
            switch (status)
            {
                case "licensed": return new Licensed(found);
                case "unbound": return new Unbound(found.OptionalText("key"));
                case "expired": return new Expired();
                case "suspended": return new Suspended();
                case "revoked": return new Revoked();
                case "reissued": return new Reissued();
                case "sign_in_required": return new SignInRequired();
                case "denied": return new Denied();
                case "request_expired": return new RequestExpired();
                case "refused": return new Refused(found.Text("reason"));
                case "no_seats": return new NoSeats(Seats.Of(found));
                case "too_many_devices": return new TooManyDevices();
                case "unknown_key": return new UnknownKey();
                case "no_trial": return new NoTrial();
                case "not_covered": return new NotCovered(Updates.Of(found));
                case "offline_without_token": return new OfflineWithoutToken(found);
                case "invalid_input": return new InvalidInput(found.Text("field"), found.Text("message"));
                case "invalid_token": return new InvalidToken(found.Text("problem"));
                case "failed": return new Failed(Fault.Of(found) ?? throw new InvalidOperationException("The native library returned no fault."), found.OptionalText("id"));
                case "deactivated": return new Deactivated(found.Flag("freed"));
                case "forgotten": return new Forgotten(found);
                case "devices": return new DeviceList(found);
                case "latest": return new Latest(found);
                case "consumed": return new Consumed(new Meter(found.Object("meter") ?? throw new InvalidOperationException("The native library returned no meter.")));
                case "queued": return new Queued(found.Text("id"));
                case "meters": return new MeterList(found);
                case "pending": return new PendingAmounts(found);
                case "request": return new OfflineRequest(found.Text("text"));
                default: throw new InvalidOperationException("The native library is another version: it returned the status " + status + ".");
            }
        }

        private static Result WithJson(Result result, string json)
        {
            result.json = json;
            return result;
        }
    }

    /// <summary>An argument can't be sent, so nothing was sent.</summary>
    public sealed class InvalidInput : Result
    {
        internal InvalidInput(string field, string message) : base("invalid_input") => (Field, Message) = (field, message);

        /// <summary>The argument: <c>key</c>, <c>name</c>, <c>platform</c>, <c>customer_email</c>, <c>replace</c>, <c>ref</c>,
        /// <c>meter</c>, <c>amount</c> or <c>id</c>.</summary>
        public string Field { get; }

        /// <summary>A message in English for logs and developers, such as <c>must not be empty</c>.</summary>
        public string Message { get; }
    }

    /// <summary>An imported token is not accepted.</summary>
    public sealed class InvalidToken : Result
    {
        internal InvalidToken(string problem) : base("invalid_token") => Problem = problem;

        /// <summary>The name of the check that the token failed (docs/client.md, "Tokens"), <c>clock_rolled_back</c>,
        /// <c>device_unknown</c> or <c>storage_failed</c>.</summary>
        public string Problem { get; }
    }

    /// <summary>The service gave no decision.</summary>
    public sealed class Failed : Result
    {
        internal Failed(Fault fault, string? id) : base("failed") => (Fault, Id) = (fault, id);

        /// <summary>Why the service gave no decision.</summary>
        public Fault Fault { get; }

        /// <summary>After <see cref="LicenseClient.Consume"/>: the id of the amount. It is not known whether the service counted the amount, and a
        /// repetition with this id counts it once. Otherwise null.</summary>
        public string? Id { get; }
    }

    /// <summary>A seat was freed, or there was none.</summary>
    public sealed class Deactivated : Result
    {
        internal Deactivated(bool freed) : base("deactivated") => Freed = freed;

        /// <summary>Whether the device had a seat.</summary>
        public bool Freed { get; }
    }

    /// <summary>All stored data was deleted.</summary>
    public sealed class Forgotten : Result
    {
        internal Forgotten(JsonObject found) : base("forgotten")
        {
            Freed = found.Flag("freed");
            Fault = Fault.Of(found);
        }

        /// <summary>Whether the device's seat was freed.</summary>
        public bool Freed { get; }

        /// <summary>Why the seat could not be freed; null if there was no such problem.</summary>
        public Fault? Fault { get; }
    }

    /// <summary>The devices that have seats of a license.</summary>
    public sealed class DeviceList : Result
    {
        internal DeviceList(JsonObject found) : base("devices")
        {
            Devices = found.List("devices").OfType<JsonObject>().Select(device => new ListedDevice(device)).ToArray();
        }

        /// <summary>The devices, in the order of the service.</summary>
        public IReadOnlyList<ListedDevice> Devices { get; }
    }

    /// <summary>A device that has a seat of a license.</summary>
    public sealed class ListedDevice
    {
        internal ListedDevice(JsonObject found)
        {
            Reference = found.Text("ref");
            Name = found.Text("name");
            Platform = found.Text("platform");
            ActivatedAt = found.Time("activated_at");
            LastSeenOn = found.OptionalText("last_seen_on");
            IsThis = found.Flag("is_this");
        }

        /// <summary>Identifies the device for <see cref="LicenseClient.ReleaseDevice"/> and for <c>replace</c> of
        /// <see cref="LicenseClient.Activate"/>. It is not a fingerprint.</summary>
        public string Reference { get; }

        /// <summary>The device's name.</summary>
        public string Name { get; }

        /// <summary>The device's platform.</summary>
        public string Platform { get; }

        /// <summary>When the device took its seat.</summary>
        public DateTimeOffset ActivatedAt { get; }

        /// <summary>The day (<c>2026-11-20</c>, UTC) of the device's last validation or activation; null if the service doesn't know
        /// it.</summary>
        public string? LastSeenOn { get; }

        /// <summary>Whether the app runs on this device.</summary>
        public bool IsThis { get; }
    }

    /// <summary>The release to which the app may be updated.</summary>
    public sealed class Latest : Result
    {
        internal Latest(JsonObject found) : base("latest")
        {
            Update = found.Object("update") is JsonObject update ? new Update(update) : null;
            Newest = found.Object("newest") is JsonObject newest ? new NewestRelease(newest) : null;
            Headers = (found.Object("headers")?.Members ?? Enumerable.Empty<KeyValuePair<string, object?>>())
                .ToDictionary(header => header.Key, header => header.Value as string ?? "");
        }

        /// <summary>The newest release that the license covers; null if none is newer than the given version.</summary>
        public Update? Update { get; }

        /// <summary>The newest release of the product; null if there is none.</summary>
        public NewestRelease? Newest { get; }

        /// <summary>Headers that every download request needs. They contain the API key, and the license key or the token.</summary>
        public IReadOnlyDictionary<string, string> Headers { get; }
    }

    /// <summary>A release that the license covers.</summary>
    public sealed class Update
    {
        internal Update(JsonObject found)
        {
            Version = found.Text("version");
            Channel = found.Text("channel");
            ReleasedAt = found.Time("released_at");
            Notes = found.OptionalText("notes");
            Artifacts = found.List("artifacts").OfType<JsonObject>().Select(file => new Artifact(file)).ToArray();
        }

        /// <summary>The release's version.</summary>
        public string Version { get; }

        /// <summary>The release's channel, such as <c>stable</c>.</summary>
        public string Channel { get; }

        /// <summary>When the release was published.</summary>
        public DateTimeOffset ReleasedAt { get; }

        /// <summary>The release notes in Markdown; null if there are none.</summary>
        public string? Notes { get; }

        /// <summary>The files of the release that fit the requested platform.</summary>
        public IReadOnlyList<Artifact> Artifacts { get; }
    }

    /// <summary>A file of a release.</summary>
    public sealed class Artifact
    {
        internal Artifact(JsonObject found)
        {
            Filename = found.Text("filename");
            Platform = found.Text("platform");
            Arch = found.Text("arch");
            Size = found.Number("size") ?? 0;
            Sha256 = found.Text("sha256");
            Sha512 = found.Text("sha512");
            Signature = found.OptionalText("signature");
            Url = found.Text("url");
        }

        /// <summary>The name of the file.</summary>
        public string Filename { get; }

        /// <summary><c>windows</c>, <c>macos</c>, <c>linux</c> or <c>any</c>.</summary>
        public string Platform { get; }

        /// <summary><c>x64</c>, <c>arm64</c>, <c>ia32</c>, <c>universal</c> or <c>any</c>.</summary>
        public string Arch { get; }

        /// <summary>The size in bytes.</summary>
        public long Size { get; }

        /// <summary>The SHA-256 of the file, as hex in lower case.</summary>
        public string Sha256 { get; }

        /// <summary>The SHA-512 of the file, as hex in lower case.</summary>
        public string Sha512 { get; }

        /// <summary>The signature of the vendor; null if there is none.</summary>
        public string? Signature { get; }

        /// <summary>A URL that redirects to the file; requests need <see cref="Latest.Headers"/>.</summary>
        public string Url { get; }
    }

    /// <summary>The newest release of the product. If the license doesn't cover this release, offer the user a renewal.</summary>
    public sealed class NewestRelease
    {
        internal NewestRelease(JsonObject found)
        {
            Version = found.Text("version");
            ReleasedAt = found.Time("released_at");
            Covered = found.Flag("covered");
        }

        /// <summary>The release's version.</summary>
        public string Version { get; }

        /// <summary>When the release was published.</summary>
        public DateTimeOffset ReleasedAt { get; }

        /// <summary>Whether the license covers the release.</summary>
        public bool Covered { get; }
    }

    /// <summary>The request of a device that is never online.</summary>
    public sealed class OfflineRequest : Result
    {
        internal OfflineRequest(string text) : base("request") => Text = text;

        /// <summary>The text that the user gives to the operator.</summary>
        public string Text { get; }
    }

    /// <summary>The service has counted an amount.</summary>
    public sealed class Consumed : Result
    {
        internal Consumed(Meter meter) : base("consumed") => Meter = meter;

        /// <summary>The meter after the amount was counted.</summary>
        public Meter Meter { get; }
    }

    /// <summary>An amount is stored, and is sent when the service can be reached.</summary>
    public sealed class Queued : Result
    {
        internal Queued(string id) : base("queued") => Id = id;

        /// <summary>The id with which the service counts the amount once.</summary>
        public string Id { get; }
    }

    /// <summary>A refusal of <see cref="LicenseClient.Consume"/> or <see cref="LicenseClient.Meters"/>. Nothing was consumed, and the license state
    /// stays.</summary>
    public sealed class UsageRefused : Result
    {
        internal UsageRefused(string reason, string message) : base("refused") => (Reason, Message) = (reason, message);

        /// <summary>Why, such as <c>meter_exhausted</c> (docs/client.md, "Limits and meters" lists all reasons).</summary>
        public string Reason { get; }

        /// <summary>A message in English for logs and developers.</summary>
        public string Message { get; }
    }

    /// <summary>The license's meters.</summary>
    public sealed class MeterList : Result
    {
        internal MeterList(JsonObject found) : base("meters")
        {
            Meters = found.List("meters").OfType<JsonObject>().Select(meter => new Meter(meter)).ToArray();
        }

        /// <summary>The meters, by name.</summary>
        public IReadOnlyList<Meter> Meters { get; }
    }

    /// <summary>A meter of the license, as the service counted it at the time of the response.</summary>
    public sealed class Meter
    {
        internal Meter(JsonObject found)
        {
            Name = found.Text("name");
            Used = found.Number("used") ?? 0;
            Included = found.Number("included") ?? 0;
            Remaining = found.Number("remaining") ?? 0;
            Period = found.Text("period");
            ResetsAt = found.OptionalTime("resets_at");
        }

        /// <summary>The meter's name.</summary>
        public string Name { get; }

        /// <summary>What was consumed in the current period. It may exceed <see cref="Included"/>, if the vendor allows it.</summary>
        public long Used { get; }

        /// <summary>What the license includes in each period.</summary>
        public long Included { get; }

        /// <summary>What is left of <see cref="Included"/>; never below 0.</summary>
        public long Remaining { get; }

        /// <summary><c>none</c> (the whole life of the license), <c>month</c> or <c>term</c> (the paid period).</summary>
        public string Period { get; }

        /// <summary>When the next period begins; null if none is known.</summary>
        public DateTimeOffset? ResetsAt { get; }
    }

    /// <summary>Amounts that wait until they can be sent, and amounts that were dropped. Both lists have the oldest amount first.</summary>
    public sealed class PendingAmounts : Result
    {
        internal PendingAmounts(JsonObject found) : base("pending")
        {
            Amounts = found.List("amounts").OfType<JsonObject>().Select(amount => new PendingAmount(amount)).ToArray();
            Dropped = found.List("dropped").OfType<JsonObject>().Select(amount => new DroppedAmount(amount)).ToArray();
        }

        /// <summary>The waiting amounts.</summary>
        public IReadOnlyList<PendingAmount> Amounts { get; }

        /// <summary>The 100 amounts that were dropped last.</summary>
        public IReadOnlyList<DroppedAmount> Dropped { get; }
    }

    /// <summary>An amount that waits until it can be sent.</summary>
    public class PendingAmount
    {
        internal PendingAmount(JsonObject found)
        {
            Id = found.Text("id");
            Meter = found.Text("meter");
            Amount = found.Number("amount") ?? 0;
            Since = found.Time("since");
        }

        /// <summary>The id with which the service counts the amount once.</summary>
        public string Id { get; }

        /// <summary>The meter's name.</summary>
        public string Meter { get; }

        /// <summary>The amount; negative if the app gives back.</summary>
        public long Amount { get; }

        /// <summary>When the app consumed the amount.</summary>
        public DateTimeOffset Since { get; }
    }

    /// <summary>An amount that was not counted.</summary>
    public sealed class DroppedAmount : PendingAmount
    {
        internal DroppedAmount(JsonObject found) : base(found) => Reason = found.Text("reason");

        /// <summary>The reason of a <see cref="UsageRefused"/>, or <c>too_old</c> after 29 days.</summary>
        public string Reason { get; }
    }
}
