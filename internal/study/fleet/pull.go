package fleet

import (
	"context"
	"fmt"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// message is a job as the queue delivered it: jetstream.Msg has these methods.
type message interface {
	Data() []byte
	Metadata() (*jetstream.MsgMetadata, error)
	Ack() error
	Nak() error
	NakWithDelay(delay time.Duration) error
	InProgress() error
	Term() error
}

// pulls asks a queue for jobs, one by one. All answers come to one subscription: jetstream's Fetch makes one for each that it asks
// for, of which every server of a cluster hears, twice.
type pulls struct {
	nc      *nats.Conn
	subject string // that is asked
	answers *nats.Subscription
}

// answerLimit is how long a server may take to say whether there is a job.
const answerLimit = 5 * time.Second

func newPulls(nc *nats.Conn, id string) (*pulls, error) {
	answers, err := nc.SubscribeSync(nc.NewInbox())
	if err != nil {
		return nil, err
	}
	return &pulls{nc, "$JS.API.CONSUMER.MSG.NEXT." + jobsStream + id + "." + consumer, answers}, nil
}

func (p *pulls) close() {
	p.answers.Unsubscribe() //nolint:errcheck // the connection is closed
}

// next returns a job, nil where there is none now. After an error nothing more is asked: an answer may still come, and the job in it is
// taken for lost.
func (p *pulls) next(ctx context.Context) (message, error) {
	if err := p.nc.PublishRequest(p.subject, p.answers.Subject, []byte(`{"batch":1,"no_wait":true}`)); err != nil {
		return nil, err
	}
	ctx, stop := context.WithTimeout(ctx, answerLimit)
	defer stop()
	msg, err := p.answers.NextMsgWithContext(ctx)
	if err != nil {
		return nil, err
	}
	switch status := msg.Header.Get("Status"); {
	case len(msg.Data) > 0 || status == "":
		return &delivered{msg}, nil
	case status == "404": // JetStream: no messages
		return nil, nil
	default:
		return nil, fmt.Errorf("the queue says %s %s", status, msg.Header.Get("Description"))
	}
}

// delivered is a message of a subscription.
type delivered struct{ msg *nats.Msg }

func (d *delivered) Data() []byte { return d.msg.Data }

// Metadata implements message: how often it was delivered, and no more.
func (d *delivered) Metadata() (*jetstream.MsgMetadata, error) {
	m, err := d.msg.Metadata()
	if err != nil {
		return nil, err
	}
	return &jetstream.MsgMetadata{NumDelivered: m.NumDelivered}, nil
}

func (d *delivered) Ack() error { return d.msg.Ack() }

func (d *delivered) Nak() error { return d.msg.Nak() }

func (d *delivered) NakWithDelay(delay time.Duration) error { return d.msg.NakWithDelay(delay) }

func (d *delivered) InProgress() error { return d.msg.InProgress() }

func (d *delivered) Term() error { return d.msg.Term() }
