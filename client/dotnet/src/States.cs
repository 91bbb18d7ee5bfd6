using System;
using System.Collections.Generic;
using System.Linq;

namespace LicenseKey
{
    /// <summary>
    /// The license state of this device: an object of one of the classes that derive from this class. Only <see cref="Licensed"/> permits
    /// the use of the app. docs/client.md, "States" has a text for the user of each state.
    /// </summary>
    public abstract class LicenseState : Result
    {
        internal LicenseState(string status) : base(status) { }

        /// <summary>Whether the app may be used.</summary>
        public bool IsLicensed => this is Licensed;
    }

    /// <summary>The app may be used on this device.</summary>
    public sealed class Licensed : LicenseState
    {
        internal Licensed(JsonObject found) : base("licensed")
        {
            Source = Names.Parse<LicenseSource>(found.Text("source"));
            License = new License(found.Object("license") ?? throw new InvalidOperationException("The native library returned no license."));
            Features = found.List("features").OfType<string>().ToArray();
            Limits = (found.Object("limits")?.Members ?? Enumerable.Empty<KeyValuePair<string, object?>>())
                .ToDictionary(limit => limit.Key, limit => limit.Value as long? ?? 0);
            Updates = Updates.Of(found) ?? new Updates(null, null);
            Seats = Seats.Of(found);
            LeaseExpiresAt = found.OptionalTime("lease_expires_at");
            OfflineUntil = found.Time("offline_until");
            Fault = Fault.Of(found);
        }

        /// <summary>What grants the license.</summary>
        public LicenseSource Source { get; }

        /// <summary>What was bought.</summary>
        public License License { get; }

        /// <summary>Names of the features that the license includes. The service has signed them.</summary>
        public IReadOnlyList<string> Features { get; }

        /// <summary>Numbers by name that the app reads, such as the maximum number of projects. The service has signed them, and enforces none
        /// of them.</summary>
        public IReadOnlyDictionary<string, long> Limits { get; }

        /// <summary>Which releases the license covers. The service has signed these limits.</summary>
        public Updates Updates { get; }

        /// <summary>Seats at the time of the last response; null if the license comes from an imported token and the service was not asked
        /// since the import.</summary>
        public Seats? Seats { get; }

        /// <summary>When the seat's lease ends; null if the seat has no lease. If the lease ends without being renewed, another device may
        /// take the seat.</summary>
        public DateTimeOffset? LeaseExpiresAt { get; }

        /// <summary>The time until which the license works without a network; for <see cref="LicenseSource.Grace"/> the end of the grace
        /// period.</summary>
        public DateTimeOffset OfflineUntil { get; }

        /// <summary>Why the service gave no decision, or why the license is not stored (<see cref="FaultKind.Storage"/>); null if there is
        /// no such problem.</summary>
        public Fault? Fault { get; }
    }

    /// <summary>This device has no seat: ask the user for a key and activate it.</summary>
    public sealed class Unbound : LicenseState
    {
        internal Unbound(string? key) : base("unbound") => Key = key;

        /// <summary>If this device had a seat that was freed: the key with which the device was activated; otherwise null.</summary>
        public string? Key { get; }
    }

    /// <summary>The license has expired.</summary>
    public sealed class Expired : LicenseState
    {
        internal Expired() : base("expired") { }
    }

    /// <summary>The license is suspended, for example because a payment is overdue. It may become active again.</summary>
    public sealed class Suspended : LicenseState
    {
        internal Suspended() : base("suspended") { }
    }

    /// <summary>The license was revoked, for example after a refund.</summary>
    public sealed class Revoked : LicenseState
    {
        internal Revoked() : base("revoked") { }
    }

    /// <summary>The license received another key, for example because this key had leaked. Only the new key can be activated.</summary>
    public sealed class Reissued : LicenseState
    {
        internal Reissued() : base("reissued") { }
    }

    /// <summary>This device must sign in again (<see cref="LicenseClient.ActivateInBrowserAsync"/>), because its seat was freed, or because the
    /// license belongs to named people.</summary>
    public sealed class SignInRequired : LicenseState
    {
        internal SignInRequired() : base("sign_in_required") { }
    }

    /// <summary>In the browser, the user has refused to activate this device.</summary>
    public sealed class Denied : LicenseState
    {
        internal Denied() : base("denied") { }
    }

    /// <summary>Nobody has approved the activation in time, or the request was replaced by a newer one of this device.</summary>
    public sealed class RequestExpired : LicenseState
    {
        internal RequestExpired() : base("request_expired") { }
    }

    /// <summary>The license has another status that forbids use and that this version of the client doesn't know.</summary>
    public sealed class Refused : LicenseState
    {
        internal Refused(string reason) : base("refused") => Reason = reason;

        /// <summary>The unknown status.</summary>
        public string Reason { get; }
    }

    /// <summary>Every seat is taken by another device.</summary>
    public sealed class NoSeats : LicenseState
    {
        internal NoSeats(Seats? seats) : base("no_seats") => Seats = seats;

        /// <summary>The numbers of seats; null if the service couldn't be asked for them.</summary>
        public Seats? Seats { get; }
    }

    /// <summary>Too many devices that are new to the license have taken a seat this week.</summary>
    public sealed class TooManyDevices : LicenseState
    {
        internal TooManyDevices() : base("too_many_devices") { }
    }

    /// <summary>The service doesn't know this key.</summary>
    public sealed class UnknownKey : LicenseState
    {
        internal UnknownKey() : base("unknown_key") { }
    }

    /// <summary>The product offers no trial without a key.</summary>
    public sealed class NoTrial : LicenseState
    {
        internal NoTrial() : base("no_trial") { }
    }

    /// <summary>The license doesn't cover this release of the app (<see cref="LicenseOptions.ReleaseVersion"/>,
    /// <see cref="LicenseOptions.ReleasedAt"/>). If this device already had the license, it keeps the license and may use an older release
    /// that the license covers.</summary>
    public sealed class NotCovered : LicenseState
    {
        internal NotCovered(Updates? updates) : base("not_covered") => Updates = updates;

        /// <summary>Which releases the license of this device covers; null if the service refused an activation.</summary>
        public Updates? Updates { get; }
    }

    /// <summary>No stored token is accepted, and the service gave no decision. The app can try again when there is a network.</summary>
    public sealed class OfflineWithoutToken : LicenseState
    {
        internal OfflineWithoutToken(JsonObject found) : base("offline_without_token")
        {
            Reason = found.Text("reason");
            Fault = Fault.Of(found);
        }

        /// <summary>Why the stored token is not accepted: <c>no_token</c>, <c>clock_rolled_back</c>, <c>clock_ahead</c>,
        /// <c>device_unknown</c>, <c>storage_failed</c>, or the name of the check that the token failed (docs/client.md, "Tokens").</summary>
        public string Reason { get; }

        /// <summary>Why the service gave no decision; null if there is no key to ask about.</summary>
        public Fault? Fault { get; }
    }

    /// <summary>What grants a license.</summary>
    public enum LicenseSource
    {
        /// <summary>The stored token is valid; no request was sent.</summary>
        Cache,

        /// <summary>The service has just confirmed the license.</summary>
        Network,

        /// <summary>The token has expired, the grace period (<see cref="LicenseOptions.Grace"/>) has not ended, and the service can't be
        /// asked.</summary>
        Grace,
    }

    /// <summary>What was bought.</summary>
    public sealed class License
    {
        internal License(JsonObject found)
        {
            Id = found.Number("id") ?? 0;
            TypeName = found.Object("type")?.OptionalText("name");
            Kind = found.Object("type")?.Text("kind") ?? "";
            ExpiresAt = found.OptionalTime("expires_at");
        }

        /// <summary>The license's id in the service.</summary>
        public long Id { get; }

        /// <summary>The name that the operator gave the license type; null if the license comes from an imported token and the service was
        /// not asked since the import.</summary>
        public string? TypeName { get; }

        /// <summary>The kind of license: <c>lifetime</c>, <c>subscription</c>, <c>floating</c> or <c>trial</c>.</summary>
        public string Kind { get; }

        /// <summary>When the license expires; null if it never expires.</summary>
        public DateTimeOffset? ExpiresAt { get; }
    }

    /// <summary>Which releases of the app a license covers.</summary>
    public sealed class Updates
    {
        internal Updates(DateTimeOffset? until, long? maxMajor) => (Until, MaxMajor) = (until, maxMajor);

        /// <summary>Releases that were published by this time; null if there is no such limit.</summary>
        public DateTimeOffset? Until { get; }

        /// <summary>The highest major version; null if there is no such limit.</summary>
        public long? MaxMajor { get; }

        internal static Updates? Of(JsonObject found) =>
            found.Object("updates") is JsonObject updates ? new Updates(updates.OptionalTime("until"), updates.Number("max_major")) : null;
    }

    /// <summary>How many seats of a license are used and how many exist, at the time of the last response.</summary>
    public sealed class Seats
    {
        private Seats(long used, long max) => (Used, Max) = (used, max);

        /// <summary>The number of seats that are taken.</summary>
        public long Used { get; }

        /// <summary>The maximum number of seats; 0 means unlimited.</summary>
        public long Max { get; }

        internal static Seats? Of(JsonObject found) =>
            found.Object("seats") is JsonObject seats ? new Seats(seats.Number("used") ?? 0, seats.Number("max") ?? 0) : null;
    }

    /// <summary>Why the service gave no decision.</summary>
    public sealed class Fault
    {
        private Fault(JsonObject found)
        {
            Kind = Names.Parse<FaultKind>(found.Text("kind"));
            Message = found.Text("message");
            RetryAfter = found.Number("retry_after") is long seconds ? TimeSpan.FromSeconds(seconds) : (TimeSpan?)null;
        }

        /// <summary>What happened.</summary>
        public FaultKind Kind { get; }

        /// <summary>A text for logs. It contains neither license key nor credential.</summary>
        public string Message { get; }

        /// <summary>How long the service asks the client to wait; null if it doesn't ask.</summary>
        public TimeSpan? RetryAfter { get; }

        /// <summary>The kind and the message, for logs.</summary>
        public override string ToString() => Kind + ": " + Message;

        internal static Fault? Of(JsonObject found) => found.Object("fault") is JsonObject fault ? new Fault(fault) : null;
    }

    /// <summary>The kinds of a <see cref="Fault"/>.</summary>
    public enum FaultKind
    {
        /// <summary>No connection, or the connection broke.</summary>
        Unreachable,

        /// <summary>No complete response within the time limit.</summary>
        Timeout,

        /// <summary>The service failed (status 5xx), or asks the client to wait (status 429).</summary>
        Busy,

        /// <summary>The service refuses the request because of a mistake in the app's configuration (a wrong API key, for
        /// example).</summary>
        Rejected,

        /// <summary>The response does not come from the service (a captive portal's page, for example).</summary>
        Malformed,

        /// <summary>The response contains a token or a refusal that could not be verified.</summary>
        Untrusted,

        /// <summary>The token in the response has already expired by this device's clock, so the clock is ahead.</summary>
        Clock,

        /// <summary>This device could not be identified, so no request was sent.</summary>
        Device,

        /// <summary>The stored data can't be read, or this device's random id can't be stored, so no request was sent. In
        /// <see cref="Licensed"/>: the license is not stored.</summary>
        Storage,

        /// <summary>The client was closed before or during the call, or the app has canceled a sign-in.</summary>
        Closed,
    }

    internal static class Names
    {
        /// <exception cref="InvalidOperationException">This version of the package doesn't know the name.</exception>
        internal static Known Parse<Known>(string name) where Known : struct =>
            Enum.TryParse(name, true, out Known known) ? known : throw new InvalidOperationException("The native library is another version: it returned " + name + ".");
    }
}
